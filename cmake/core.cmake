# cairn_core: all of src/ and runtime/ in one static library, which the tests link and so can reach the inner parts. The
# shared library is made of the very same objects. The command links that one and not these, so that the kernels, most of
# either, exist once: hence the inner names of namespace cairn are visible too, though no header that is installed has
# them, and no promise is made about them.

# cairn_core_needs: what core sources need to compile and link, in whichever variant they are built.
add_library(cairn_core_needs INTERFACE)
target_link_libraries(cairn_core_needs INTERFACE cairn_flags Threads::Threads)
if(CAIRN_HAVE_OPENBLAS)
  target_compile_definitions(cairn_core_needs INTERFACE CAIRN_HAVE_OPENBLAS)
  target_link_libraries(cairn_core_needs INTERFACE cairn_openblas)
endif()
if(CAIRN_HAVE_CUDA)
  target_compile_definitions(cairn_core_needs INTERFACE CAIRN_HAVE_CUDA)
  target_link_libraries(cairn_core_needs INTERFACE CUDA::cudart_static)
endif()

# The emulated ladder is always built, except where only the fuzz targets are.
if(CAIRN_HAVE_EMULATOR)
  target_compile_definitions(cairn_core_needs INTERFACE CAIRN_HAVE_EMULATOR)
  target_link_libraries(cairn_core_needs INTERFACE cairn_emu_plain)
endif()

add_library(cairn_core STATIC)
target_link_libraries(cairn_core PUBLIC cairn_core_needs)
set_target_properties(cairn_core PROPERTIES CXX_VISIBILITY_PRESET default)
target_compile_options(cairn_core PRIVATE
  $<$<CONFIG:Release>:-O3>
  -fno-semantic-interposition  # a visible function is inlined as a hidden one is
  -include ${PROJECT_SOURCE_DIR}/cmake/public_symbols.hpp)

if(CAIRN_SANITIZE)
  # Instrumented code takes more than twice as long to compile when it is optimized. The products themselves are
  # worth it, so that the tests are quick; the rest is not.
  target_compile_options(cairn_core PRIVATE -O1)
endif()

# cairn_core_variant(name options...): the same sources once more, compiled and linked with extra options.
# Call it after src/ and runtime/ have been added.
function(cairn_core_variant name)
  get_target_property(sources cairn_core SOURCES)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name} PUBLIC cairn_core_needs)
  cairn_compile_several(${name} ALWAYS APART ${PROJECT_SOURCE_DIR}/src/cpu/openblas.cpp)
  target_compile_options(${name} PUBLIC ${ARGN})
  target_link_options(${name} PUBLIC ${ARGN})
endfunction()
