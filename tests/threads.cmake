# threads_tsan_test: separate handles on separate threads, watched by ThreadSanitizer. The library is compiled
# a second time for it, inside the ordinary build, so that the promise is checked every time and not only by
# those who remember a special build.

set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("int main() { return 0; }" CAIRN_TSAN_LINKS)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_QUIET)
if(NOT CAIRN_TSAN_LINKS)
  message(STATUS "threads_tsan_test is left out: this compiler has no ThreadSanitizer")
  return()
endif()

cairn_core_variant(cairn_core_tsan -fsanitize=thread -O0 -g1)
cairn_add_test(threads_tsan_test LABELS unit SOURCES api/threads_test.cpp LIBRARIES cairn_core_tsan)
set_target_properties(threads_tsan_test PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # they are not instrumented

# ThreadSanitizer needs its shadow memory at fixed addresses, and kernels that randomize addresses widely may
# have put something else there. `setarch -R` turns the randomizing off for this one program, where it is allowed.
find_program(CAIRN_SETARCH setarch)
if(CAIRN_SETARCH)
  execute_process(COMMAND ${CAIRN_SETARCH} -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
  if(refused EQUAL 0)
    set_target_properties(threads_tsan_test PROPERTIES CROSSCOMPILING_EMULATOR "${CAIRN_SETARCH};-R")
  endif()
endif()
# OpenBLAS is not compiled for ThreadSanitizer, which therefore cannot see its locks.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/tsan.supp CONTENT "called_from_lib:libopenblas\n")
set_tests_properties(threads_tsan_test PROPERTIES
  ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:suppressions=${CMAKE_CURRENT_BINARY_DIR}/tsan.supp")
