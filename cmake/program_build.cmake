# cairn_program_build(out): writes the definition of lab/program/build.hpp: the compiler, the flags of the plain and the
# traced ladder, and where the headers and libraries are, in this tree and once installed.

function(cairn_program_build out)
  set(plain "")
  set(traced "")
  set(includes "")
  set(libraries "")
  set(cublas_libraries "")
  set(fibers "")
  if(TARGET cairn_emu_own)
    foreach(build plain traced)
      set(${build} "\"$<JOIN:$<TARGET_PROPERTY:cairn_kernel_${build},INTERFACE_COMPILE_OPTIONS>,\", \">\"")
    endforeach()
    foreach(library own program trace runtime)
      string(APPEND libraries "\"$<TARGET_FILE:cairn_emu_${library}>\", ")
    endforeach()
    get_property(cublas GLOBAL PROPERTY CAIRN_CUBLAS_LIBRARIES)
    foreach(file ${cublas})
      string(APPEND cublas_libraries "\"${file}\", ")
    endforeach()
    foreach(folder emu/shadow emu/shadow/refused . include)
      file(REAL_PATH ${PROJECT_SOURCE_DIR}/${folder} folder)
      string(APPEND includes "\"${folder}\", ")
    endforeach()
    get_property(fibers GLOBAL PROPERTY CAIRN_FIBERS_FILE)
    add_dependencies(cairn_lab_base cairn_emu_own cairn_emu_program cairn_emu_trace cairn_faces_cublas cairn_cpu)
  endif()
  set(compiler "")  # the g++ on the PATH, where something else builds this
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(compiler ${CMAKE_CXX_COMPILER})
  endif()
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH to_include ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  file(GENERATE OUTPUT ${out} CONTENT "// Written by cmake/program_build.cmake.
#include \"lab/program/build.hpp\"

const cairn::lab::program::Build& cairn::lab::program::this_build() {
  static const Build build = {
      \"${compiler}\",
      {${plain}},
      {${traced}},
      {${includes}},
      {${libraries}},
      {${cublas_libraries}},
      \"${fibers}\",
      \"${to_lib}\",
      \"${to_include}/cairn_emulator\",
      \"${to_include}\"};
  return build;
}
" TARGET cairn_lab_base)
endfunction()
