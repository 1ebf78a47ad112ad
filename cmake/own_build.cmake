# cairn_own_build(out): writes the definition of lab/trace/own/build.hpp: the compiler, the flags of the traced ladder, and
# where the headers and libraries are, in this tree and once installed.

function(cairn_own_build out)
  set(flags "")
  set(includes "")
  set(libraries "")
  set(fibers "")
  if(TARGET cairn_emu_own)
    set(flags "\"$<JOIN:$<TARGET_PROPERTY:cairn_kernel_traced,INTERFACE_COMPILE_OPTIONS>,\", \">\"")
    set(libraries "\"$<TARGET_FILE:cairn_emu_own>\", \"$<TARGET_FILE:cairn_emu_trace>\", \"$<TARGET_FILE:cairn_emu_runtime>\"")
    foreach(folder emu/shadow emu/shadow/refused . include)
      file(REAL_PATH ${PROJECT_SOURCE_DIR}/${folder} folder)
      string(APPEND includes "\"${folder}\", ")
    endforeach()
    get_property(fibers GLOBAL PROPERTY CAIRN_FIBERS_FILE)
    add_dependencies(cairn_lab cairn_emu_own cairn_emu_trace)
  endif()
  set(compiler "")  # the g++ on the PATH, where something else builds this
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(compiler ${CMAKE_CXX_COMPILER})
  endif()
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH to_include ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  file(GENERATE OUTPUT ${out} CONTENT "// Written by cmake/own_build.cmake.
#include \"lab/trace/own/build.hpp\"

const cairn::lab::trace::OwnBuild& cairn::lab::trace::own_build() {
  static const OwnBuild build = {
      \"${compiler}\",
      {${flags}},
      {${includes}},
      {${libraries}},
      \"${fibers}\",
      \"${to_lib}\",
      \"${to_include}/cairn_emulator\",
      \"${to_include}\"};
  return build;
}
" TARGET cairn_lab)
endfunction()
