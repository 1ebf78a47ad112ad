# What Cairn finds on the machine. Nothing is downloaded. A missing optional part is left out with a line
# that says so; CAIRN_SUMMARY collects the words for the last line of the configure step.

set(CAIRN_SUMMARY "")
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# OpenBLAS: the fast CPU backend. Debian and Ubuntu keep its header beside other BLASes' headers of the same
# name, so pkg-config is asked first (it knows the folder), and whatever was found must then link a call of
# OpenBLAS's own: another library's cblas.h with a BLAS behind it would compile too.
set(CAIRN_HAVE_OPENBLAS OFF)
if(PkgConfig_FOUND)
  pkg_check_modules(OPENBLAS QUIET IMPORTED_TARGET openblas)
endif()
add_library(cairn_openblas INTERFACE IMPORTED)
if(TARGET PkgConfig::OPENBLAS)
  target_link_libraries(cairn_openblas INTERFACE PkgConfig::OPENBLAS)
else()
  find_path(OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread)
  find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
  if(OPENBLAS_INCLUDE AND OPENBLAS_LIBRARY)
    target_include_directories(cairn_openblas INTERFACE ${OPENBLAS_INCLUDE})
    target_link_libraries(cairn_openblas INTERFACE ${OPENBLAS_LIBRARY})
  endif()
endif()
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES cairn_openblas)
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("
  #include <cblas.h>
  int main() { return openblas_get_num_threads() + (cblas_sgemm == nullptr); }" CAIRN_OPENBLAS_LINKS)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_QUIET)
find_library(CAIRN_OPENBLAS_ARCHIVE libopenblas.a HINTS ${OPENBLAS_LIBDIR} PATH_SUFFIXES openblas-pthread)
if(CAIRN_OPENBLAS_LINKS AND SKBUILD AND NOT CAIRN_OPENBLAS_ARCHIVE)
  # A wheel that needed libopenblas.so could not be imported without it.
  message(STATUS "OpenBLAS's archive libopenblas.a not found: the wheel's CPU backend is the plain reference, which is slow")
  list(APPEND CAIRN_SUMMARY "OpenBLAS no")
elseif(CAIRN_OPENBLAS_LINKS)
  set(CAIRN_HAVE_OPENBLAS ON)
  string(STRIP "OpenBLAS ${OPENBLAS_VERSION}" word)
  list(APPEND CAIRN_SUMMARY "${word} yes")
else()
  unset(CAIRN_OPENBLAS_LINKS CACHE)  # look again next time: it may have been installed by then
  message(STATUS "OpenBLAS not found (libopenblas-dev): the CPU backend is the plain reference alone, which is slow")
  list(APPEND CAIRN_SUMMARY "OpenBLAS no")
endif()

# cairn_self_contained(target): OpenBLAS goes into a program or shared object that is installed, so that it runs where
# there is none. Call it after what uses OpenBLAS was linked: an archive only has what was missing before it.
function(cairn_self_contained target)
  if(CAIRN_SELF_CONTAINED AND CAIRN_OPENBLAS_ARCHIVE AND CAIRN_HAVE_OPENBLAS AND NOT CAIRN_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--as-needed)  # nothing is needed of libopenblas.so any more
    target_link_libraries(${target} PRIVATE ${CAIRN_OPENBLAS_ARCHIVE})
  endif()
endfunction()

# CUDA: nvcc for the ladder, and the static runtime, which runtime/cuda.cpp links too.
set(CAIRN_HAVE_CUDA OFF)
if(NOT CAIRN_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 12.8 QUIET)
  if(CUDAToolkit_FOUND AND TARGET CUDA::cudart_static)
    set(CAIRN_HAVE_CUDA ON)
    list(APPEND CAIRN_SUMMARY "CUDA ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR} yes")
  elseif(CAIRN_CUDA STREQUAL "ON")
    message(FATAL_ERROR
      "CAIRN_CUDA=ON, but no CUDA toolkit 12.8 or newer with cudart_static was found. Put nvcc on the PATH "
      "or set CUDAToolkit_ROOT; CAIRN_CUDA=OFF builds without it.")
  else()
    message(STATUS "CUDA toolkit 12.8 or newer not found: built without the ladder for GPUs")
  endif()
endif()
if(NOT CAIRN_HAVE_CUDA)
  list(APPEND CAIRN_SUMMARY "CUDA no")
endif()

# cuBLAS: what ours is measured against on a GPU. Its headers are enough to build; see lab/CMakeLists.txt.
set(CAIRN_HAVE_CUBLAS OFF)
set(CAIRN_CUBLAS_HEADER "")
if(CAIRN_HAVE_CUDA)
  foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS)
    if(EXISTS ${folder}/cublasLt.h AND EXISTS ${folder}/cublas_v2.h)
      set(CAIRN_HAVE_CUBLAS ON)
      set(CAIRN_CUBLAS_HEADER ${folder}/cublasLt.h)
    endif()
  endforeach()
  if(NOT CAIRN_HAVE_CUBLAS)
    message(STATUS "The headers of cuBLAS were not found (libcublas-dev): on a GPU there will be nothing to measure against")
  endif()
endif()
if(CAIRN_HAVE_CUBLAS)
  list(APPEND CAIRN_SUMMARY "cuBLAS yes")
else()
  list(APPEND CAIRN_SUMMARY "cuBLAS no")
endif()

# The command's libraries.
set(CAIRN_HAVE_LAB OFF)
if(NOT CAIRN_FUZZ)
  find_package(CLI11 CONFIG QUIET)
  find_package(fmt CONFIG QUIET)
  find_package(nlohmann_json CONFIG QUIET)
  if(CLI11_FOUND AND fmt_FOUND AND nlohmann_json_FOUND)
    set(CAIRN_HAVE_LAB ON)
    list(APPEND CAIRN_SUMMARY "command yes")
  else()
    message(STATUS "The cairn command is left out: it needs CLI11, fmt and nlohmann_json "
                   "(libcli11-dev libfmt-dev nlohmann-json3-dev)")
    list(APPEND CAIRN_SUMMARY "command no")
  endif()
endif()

if(CAIRN_TESTS AND NOT CAIRN_FUZZ)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "GoogleTest not found (libgtest-dev): built without tests")
    set(CAIRN_TESTS OFF)
  endif()
endif()
if(CAIRN_FUZZ)
  list(APPEND CAIRN_SUMMARY "fuzz targets yes")
elseif(CAIRN_TESTS)
  list(APPEND CAIRN_SUMMARY "tests yes")
else()
  list(APPEND CAIRN_SUMMARY "tests no")
endif()
