# cairn_add_test(name LABELS label... SOURCES file... [LIBRARIES target...])
#
# One GoogleTest program and one ctest entry for it. Labels: unit (quick, also run under the sanitizers) or
# slow. A program that exits with 77 needs something this machine lacks and counts as skipped.

add_custom_target(cairn_unit_tests)  # what the asan preset builds: the unit tests and what they link, no more

function(cairn_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_LABELS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cairn_add_test(${name} LABELS label... SOURCES file... [LIBRARIES target...])")
  endif()
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES cairn_core)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} cairn_flags GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE CAIRN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # GoogleTest's macros compile faster at -O1, and what the tests call is optimized in its own library.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 300)
  if("unit" IN_LIST arg_LABELS)
    add_dependencies(cairn_unit_tests ${name})
  endif()
endfunction()
