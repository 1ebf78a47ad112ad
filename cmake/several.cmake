# Several files of a target as one for the compiler: most of what it does for one of them is to read headers. For builds
# that are made once, the sanitizers' and the linter's (CAIRN_SEVERAL); the others compile files one by one, so that each
# is known to include what it needs.
#
# cairn_compile_several(target [APART file...])    APART: files whose own names are those of others too
function(cairn_compile_several target)
  if(NOT CAIRN_SEVERAL)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "APART")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  foreach(file IN LISTS arg_APART)
    cmake_path(ABSOLUTE_PATH file)
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
