# Several files of a target as one for the compiler: most of what it does for one of them is to read headers. For builds
# that are made once, CI's, the sanitizers' and the linter's (CAIRN_SEVERAL), and ALWAYS for what compiles the same files
# a second time. Whoever works on Cairn compiles them one by one, and sees if one leans on another's includes.
#
# cairn_compile_several(target [ALWAYS] [APART file...])    APART: files whose own names are those of others too
function(cairn_compile_several target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALWAYS" "" "APART")
  if(NOT CAIRN_SEVERAL AND NOT arg_ALWAYS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  foreach(file IN LISTS arg_APART)
    cmake_path(ABSOLUTE_PATH file)
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
