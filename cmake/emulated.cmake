# cairn_add_emulated(target [TRACED] SOURCES file.cu...)
#
# Compiles kernel files for the emulator and puts them, with the emulator itself, into an existing target: an
# executable or a shared object, the image that the kernels live in. Call it once for a target. TRACED: so that every
# load and store is seen (emu/trace.hpp).
#
# A source's LANGUAGE is a property of the directory, so a directory that does this cannot also give the same files to
# nvcc: one directory for each build of the ladder.

function(cairn_add_emulated target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACED" "" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cairn_add_emulated(${target} [TRACED] SOURCES file.cu...)")
  endif()
  set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX)
  add_library(${target}_kernels OBJECT ${arg_SOURCES})
  target_link_libraries(${target}_kernels PRIVATE $<IF:$<BOOL:${arg_TRACED}>,cairn_traced_flags,cairn_emulated_flags>)

  set(dynamic ${CMAKE_CURRENT_BINARY_DIR}/${target}_dynamic_shared.cpp)
  add_custom_command(OUTPUT ${dynamic}
    COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DOUT=${dynamic}
            -P ${PROJECT_SOURCE_DIR}/cmake/dynamic_shared.cmake -- $<TARGET_OBJECTS:${target}_kernels>
    COMMAND_EXPAND_LISTS VERBATIM
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/dynamic_shared.cmake $<TARGET_OBJECTS:${target}_kernels>)

  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels> ${dynamic})
  target_link_libraries(${target} PRIVATE $<IF:$<BOOL:${arg_TRACED}>,cairn_emu_trace,cairn_emu_runtime>)
endfunction()
