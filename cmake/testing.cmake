# cairn_add_test(name LABELS label... SOURCES file... [LIBRARIES target...] [SECONDS n] [HOT])
#
# One GoogleTest program and one ctest entry for it. Labels: unit (quick, also run under the sanitizers), emu, gpu, and
# slow, which `make test` leaves to `make test-all`. HOT says that the test's own code computes much. A program that
# exits with 77 needs something this machine lacks and counts as skipped.
#
# cairn_test_takes(name n): a test takes n seconds on two quiet cores (10, unless told). Its limit is six times as
# long, for a machine that has other work, and thirty times under a sanitizer; and long tests begin first, so that no
# core is idle at the end.

add_custom_target(cairn_unit_tests)  # what the asan preset builds: the unit tests and what they link, no more

# GoogleTest's macros compile faster when they are not optimized, and what the tests call is optimized in its own
# library; only HOT tests are worth it. GoogleTest itself is read once for all tests, or rather once for each way
# to compile them.
set(empty ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
file(CONFIGURE OUTPUT ${empty} CONTENT "")
foreach(headers cairn_gtest cairn_gtest_hot)
  add_library(${headers} OBJECT ${empty})
  target_link_libraries(${headers} PRIVATE cairn_flags GTest::gtest)
  set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${headers} PRIVATE -fPIE)  # as programs have it
  target_precompile_headers(${headers} PRIVATE <gtest/gtest.h>)
endforeach()
target_compile_options(cairn_gtest PRIVATE -O0)
target_compile_options(cairn_gtest_hot PRIVATE -O1)

function(cairn_test_takes name seconds)
  if(CAIRN_SANITIZE)
    math(EXPR limit "30 * ${seconds}")
  else()
    math(EXPR limit "6 * ${seconds}")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit} COST ${seconds})
endfunction()

function(cairn_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "SECONDS" "LABELS;SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_LABELS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cairn_add_test(${name} LABELS label... SOURCES file... [LIBRARIES target...] [SECONDS n] [HOT])")
  endif()
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES cairn_core)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} cairn_flags GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE CAIRN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(arg_HOT)
    target_compile_options(${name} PRIVATE -O1)
    target_precompile_headers(${name} REUSE_FROM cairn_gtest_hot)
  else()
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM cairn_gtest)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77)
  if(NOT arg_SECONDS)
    set(arg_SECONDS 10)
  endif()
  cairn_test_takes(${name} ${arg_SECONDS})
  if(CAIRN_SANITIZE)
    # Asking for too much memory must fail as it does without the sanitizer, not end the test.
    set_tests_properties(${name} PROPERTIES
      ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1;UBSAN_OPTIONS=print_stacktrace=1")
  endif()
  if("unit" IN_LIST arg_LABELS)
    add_dependencies(cairn_unit_tests ${name})
  endif()
endfunction()

# NAME.cu: arithmetic that kernels and their launchers share, called by the host alone.
function(cairn_add_arithmetic_test name)
  add_executable(${name})
  cairn_add_emulated(${name} SOURCES ${name}.cu)
  target_link_libraries(${name}_kernels PRIVATE GTest::gtest)
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "emu;unit")
  cairn_test_takes(${name} 10)
endfunction()
