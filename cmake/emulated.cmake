# Kernel files for the emulator. This file is installed too.
#
# cairn_add_emulated(target [TRACED] SOURCES file.cu... [HEADERS header...])
#                                                                   for Cairn's own kernels; HEADERS: precompiled too
# cairn_add_emulated_kernel(target [TRACED] SOURCES file.cu...)     for other projects, after find_package(cairn)
#
# Compiles kernel files for the emulator and puts them, with the emulator itself, into an existing target: an
# executable or a shared object, the image that the kernels live in. Call it once for a target. TRACED: so that every
# load and store is recorded (emu/program/trace_session.hpp, emu/trace.hpp).
#
# A source's LANGUAGE is a property of the directory, so a directory that does this cannot also give the same files to
# nvcc: one directory for each build of the ladder.

function(cairn_add_emulated target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACED" "" "SOURCES;HEADERS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cairn_add_emulated(${target} [TRACED] SOURCES file.cu...)")
  endif()
  if(arg_TRACED)
    cairn_emulate(${target} cairn_traced_flags cairn_emu_trace ${arg_SOURCES})
  else()
    cairn_emulate(${target} cairn_emulated_flags cairn_emu_runtime ${arg_SOURCES})
  endif()
  # Read once for all files of a target that has many: what every rung includes first. nvcc reads them without.
  list(LENGTH arg_SOURCES files)
  if(files GREATER 4)
    target_precompile_headers(${target}_kernels PRIVATE
      <cuda_runtime.h> <device/launch.hpp> <kernels/rung.hpp> ${arg_HEADERS})
  endif()
endfunction()

function(cairn_add_emulated_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACED" "" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "cairn_add_emulated_kernel(${target} [TRACED] SOURCES file.cu...)")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "cairn_add_emulated_kernel: there is no target ${target}; add_executable(${target} …) first")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "cairn_add_emulated_kernel needs g++; the C++ compiler is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(NOT TARGET cairn::emu_runtime OR (arg_TRACED AND NOT TARGET cairn::emu_trace))
    message(FATAL_ERROR "cairn_add_emulated_kernel: this Cairn was built without the emulator it needs")
  endif()
  find_package(Threads REQUIRED)
  get_target_property(fibers cairn::emu_runtime INTERFACE_COMPILE_DEFINITIONS)
  if("${fibers}" MATCHES "BOOST" AND NOT TARGET Boost::context)
    find_package(Boost CONFIG REQUIRED COMPONENTS context)
  endif()

  if(arg_TRACED)
    cairn_emulate(${target} cairn::kernel_traced cairn::emu_trace ${arg_SOURCES})
    target_compile_definitions(${target} PRIVATE CAIRN_TRACED)
  else()
    cairn_emulate(${target} cairn::kernel_plain cairn::emu_runtime ${arg_SOURCES})
  endif()
  # Reports name files from the root of the project. (By DWARF 5, addr2line says ././ before a file that lies there.)
  target_compile_options(${target}_kernels PRIVATE
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -fdebug-prefix-map=${CMAKE_BINARY_DIR}=.
    $<$<BOOL:${arg_TRACED}>:-gdwarf-4>)
  # g++ would hand PTX to the host's assembler, whose complaints name no line of the kernel.
  target_compile_definitions(${target}_kernels PRIVATE asm=inline_asm_is_not_emulated)
  target_link_libraries(${target} PRIVATE cairn::kernel_headers)
endfunction()

# What both have in common: cairn_emulate(target flags runtime file.cu...)
function(cairn_emulate target flags runtime)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  add_library(${target}_kernels OBJECT ${ARGN})
  target_link_libraries(${target}_kernels PRIVATE ${flags})

  set(objects $<FILTER:$<TARGET_OBJECTS:${target}_kernels>,EXCLUDE,\\.gch$>)  # precompiled headers are none
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/dynamic_shared.cmake)
  set(dynamic ${CMAKE_CURRENT_BINARY_DIR}/${target}_dynamic_shared.cpp)
  add_custom_command(OUTPUT ${dynamic}
    COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DOUT=${dynamic}
            -P ${script} -- ${objects}
    COMMAND_EXPAND_LISTS VERBATIM
    DEPENDS ${script} ${objects})

  target_sources(${target} PRIVATE ${objects} ${dynamic})
  target_link_libraries(${target} PRIVATE ${runtime})
  # The traced emulator comes before the kernels, so that functions that both define, such as those of std::string, are taken
  # from it. Those of a kernel file are traced, and a tracer that calls them for a report would trace itself, endlessly.
  string(REGEX REPLACE "_trace$" "_runtime" below ${runtime})
  if(NOT runtime STREQUAL below)
    target_link_options(${target} PRIVATE
      -Wl,--whole-archive,$<TARGET_FILE:${runtime}>,$<TARGET_FILE:${below}>,--no-whole-archive)
  endif()
endfunction()
