# The version lives in include/cairn/version.h and nowhere else; this reads it, so that the header, the
# SONAME, the package files and `cairn --version` cannot disagree.

set(version_header ${CMAKE_CURRENT_LIST_DIR}/../include/cairn/version.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${version_header})

set(CAIRN_VERSION "")
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${version_header} line REGEX "^#define CAIRN_VERSION_${part} +[0-9]+")
  if(NOT line MATCHES "CAIRN_VERSION_${part} +([0-9]+)")
    message(FATAL_ERROR "include/cairn/version.h has no line '#define CAIRN_VERSION_${part} <number>'")
  endif()
  string(APPEND CAIRN_VERSION "${CMAKE_MATCH_1}.")
endforeach()
string(REGEX REPLACE "\\.$" "" CAIRN_VERSION "${CAIRN_VERSION}")
unset(version_header)
