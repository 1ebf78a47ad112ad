# What can be chosen, and the flags every host file is compiled with.

set(CAIRN_CUDA AUTO CACHE STRING "The CUDA machine: AUTO (when the toolkit is found), ON (it must be), OFF")
set_property(CACHE CAIRN_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT CAIRN_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAIRN_CUDA is '${CAIRN_CUDA}'; it must be AUTO, ON or OFF")
endif()

set(CAIRN_PYTHON AUTO CACHE STRING "The Python package: AUTO (when a Python with nanobind is found), ON (it must be), OFF")
set_property(CACHE CAIRN_PYTHON PROPERTY STRINGS AUTO ON OFF)
if(NOT CAIRN_PYTHON MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAIRN_PYTHON is '${CAIRN_PYTHON}'; it must be AUTO, ON or OFF")
endif()

option(CAIRN_LINEINFO "Lines of the source in the kernels, for profilers and sanitizers; the code is the same" ON)
option(CAIRN_SELF_CONTAINED "OpenBLAS inside of libcairn.so and the command, if its archive libopenblas.a is here" ON)
option(CAIRN_WERROR "Treat warnings as errors" ON)
option(CAIRN_CUDA_QUICK
  "Where there is no GPU: kernels for it that are quick to compile and slow to run, to see that they compile" OFF)
option(CAIRN_TESTS "Build the tests" ON)
option(CAIRN_FUZZ "Build only the library and its libFuzzer targets (needs clang++)" OFF)
set(CAIRN_SANITIZE "" CACHE STRING "Sanitizers for the whole build, as -fsanitize= takes them")
option(CAIRN_SEVERAL "Hand several files of the library and the laboratory at once to the compiler (cmake/several.cmake)" OFF)
set(CAIRN_PREBUILT_LADDER "" CACHE FILEPATH
  "libcairn_emu_plain.so of another build of this tree: no sanitizer instruments the emulator, so one is enough for both")
set(CAIRN_X86_ARCH x86-64-v3 CACHE STRING "-march= on x86-64; v3 (AVX2, FMA, F16C) is any machine since 2013-15")

# Symbols stay in their library, but for those of cairn_core; see core.cmake and cairn.map.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)  # newer CMake would look for C++20 modules in every file; there are none

# cairn_flags: what all of our own targets are compiled with. Nothing of it is installed.
add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  # Verification compares results bit by bit and bounds rounding errors operation by operation. A compiler
  # that fuses a*b+c where nobody asked would make the same source round differently from machine to
  # machine; where we want a fused multiply-add we write std::fma.
  -ffp-contract=off)
if(CAIRN_WERROR)
  target_compile_options(cairn_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # These versions see an overlap in `"text" + std::string(...)` that is not there (GCC bug 105651), and a write
  # past the end in {fmt}'s inlined buffers (seen with GCC 13 and {fmt} 9).
  target_compile_options(cairn_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CAIRN_X86_ARCH)
  target_compile_options(cairn_flags INTERFACE -march=${CAIRN_X86_ARCH})
endif()

if(CAIRN_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CAIRN_FUZZ needs clang++ for libFuzzer; this is ${CMAKE_CXX_COMPILER_ID}. Use --preset fuzz")
  endif()
  set(CAIRN_SANITIZE fuzzer-no-link,address,undefined)
endif()
if(CAIRN_SANITIZE)
  target_compile_options(cairn_flags INTERFACE
    -fsanitize=${CAIRN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's own manual warns of false alarms from this one in instrumented code; the plain build keeps it.
    target_compile_options(cairn_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# In-tree code names a file by its room: "src/dispatch/normalize.hpp", "runtime/runtime.hpp", "cairn/types.hpp".
target_include_directories(cairn_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
