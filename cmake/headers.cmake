# header_test: every header must compile alone. One generated file per header, compiled with the rest of the
# tree, so a header that leans on its neighbours breaks the build and not the next person.
#
# The C headers are compiled a second time as strict C99: that is what a C program sees.

add_library(header_test OBJECT)
target_link_libraries(header_test PRIVATE cairn_core_needs)
target_compile_options(header_test PRIVATE -O0 $<$<COMPILE_LANGUAGE:C>:-pedantic-errors>)

set(rooms include src runtime kernels faces)
if(CAIRN_HAVE_LAB)
  list(APPEND rooms lab)
  target_link_libraries(header_test PRIVATE CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
endif()
foreach(room IN LISTS rooms)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/${room}/*.hpp ${PROJECT_SOURCE_DIR}/${room}/*.h)
  # A rung's own, like those of device/, are for compilers that know kernels.
  list(FILTER headers EXCLUDE REGEX "^kernels/.*/")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^include/" "" spelled ${header})
    string(MAKE_C_IDENTIFIER ${header} id)
    set(languages cpp)
    if(header MATCHES "\\.h$")
      list(APPEND languages c)
    endif()
    foreach(language IN LISTS languages)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/headers/${id}.${language})
      # C wants at least one declaration in a file.
      file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${spelled}\"\nextern int cairn_header_compiles_alone;\n")
      target_sources(header_test PRIVATE ${file})
    endforeach()
  endforeach()
endforeach()
