# nvcc, where there is a CUDA toolkit. The language is enabled here, at the root, and not in kernels/: whatever links
# the kernels' objects must know it too.

set(CAIRN_CUDA_ARCHITECTURES "80-virtual;90a-real" CACHE STRING
  "GPUs to compile for, as CUDA_ARCHITECTURES takes them: sm_75 or newer. The default is machine code for sm_90a, and \
PTX of sm_80 that other GPUs compile for themselves, once. 'mine' is this machine's GPU, or sm_90a where there is none: \
a third of the time, for those who build to test")
if(NOT CAIRN_HAVE_CUDA)
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND CUDAToolkit_NVCC_EXECUTABLE)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})  # the one of the toolkit that was found
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})  # one C++ library and one ABI for all objects
endif()
set(CAIRN_QUICK_KERNELS OFF)
if(CAIRN_CUDA_ARCHITECTURES STREQUAL "mine")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE no_gpu)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  if(no_gpu OR NOT capabilities)
    set(capabilities 9.0)
    set(CAIRN_QUICK_KERNELS ${CAIRN_CUDA_QUICK})
  endif()
  list(REMOVE_DUPLICATES capabilities)
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(TRANSFORM capabilities REPLACE "^90$" "90a")  # Hopper's own instructions
  list(TRANSFORM capabilities APPEND "-real")
  set(CAIRN_CUDA_ARCHITECTURES ${capabilities})  # for this run of CMake; the cache keeps the wish
endif()
set(CMAKE_CUDA_ARCHITECTURES ${CAIRN_CUDA_ARCHITECTURES})
enable_language(CUDA)
if(CAIRN_QUICK_KERNELS AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
  set(CAIRN_QUICK_KERNELS OFF)  # it has no such option
endif()
if(CAIRN_QUICK_KERNELS)
  list(APPEND CAIRN_SUMMARY "kernels that are quick to compile, for no GPU is here")
endif()

# CMake 3.25 has no flag for nvcc and C++20: CUDA_STANDARD 20 is refused, or quietly gives C++17, and a -std=c++20 of our
# own is followed by its -std=c++17. nvcc has known the flag since CUDA 12.0.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

# How nvcc compiles all of ours: cairn_cuda(target [SPILLS] [ONLY architecture])
# SPILLS: registers may be spilled to memory. Everywhere else that is an error: it is a mistake in a tile's size, and
# silent otherwise. On the GPU that tiles were made for, sm_90a, that is: the compiler has other ideas for others, and a
# word or two in memory is no reason not to run there.
# Quick kernels are not held to either.
# ONLY: not for the others that are asked for, unless it is not among them.
function(cairn_cuda target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SPILLS" "ONLY" "")
  set(architectures ${CAIRN_CUDA_ARCHITECTURES})
  if(arg_ONLY)
    list(FILTER architectures INCLUDE REGEX "^${arg_ONLY}")
    if(NOT architectures)
      set(architectures ${CAIRN_CUDA_ARCHITECTURES})
    endif()
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(${target} PROPERTIES
    CUDA_STANDARD 20
    CUDA_STANDARD_REQUIRED ON
    CUDA_ARCHITECTURES "${architectures}"
    CUDA_VISIBILITY_PRESET hidden
    CUDA_RUNTIME_LIBRARY Static)
  set(options "SHELL:-Xcompiler -Wall,-Wextra,-Wshadow")
  if(CAIRN_LINEINFO)
    list(PREPEND options -lineinfo)
  endif()
  set(others ${architectures})
  list(FILTER others EXCLUDE REGEX "^90a|-virtual$")
  if(CAIRN_QUICK_KERNELS)
    list(APPEND options --Ofast-compile=max)
  elseif(NOT arg_SPILLS AND NOT others)
    list(APPEND options "SHELL:-Xptxas -warn-spills" "SHELL:-Xptxas -Werror")
  endif()
  if(CAIRN_WERROR)
    list(APPEND options "SHELL:-Werror all-warnings" "SHELL:-Xcompiler -Werror")
  endif()
  foreach(option IN LISTS options)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${option}>")
  endforeach()
  # What ptxas only notes, and no flag makes an error: that it takes wgmma's products one by one, or leaves setmaxnreg
  # out.
  if(CAIRN_QUICK_KERNELS)
    return()
  endif()
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/heed_ptxas.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

# Kernel files four by four, each four as one file for nvcc: cairn_together(out file.cu...)
# For small ones: most of what nvcc does for one of them is to read headers, and four take it no longer.
function(cairn_together out)
  set(units "")
  set(batch "")
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left file)
    list(APPEND batch "#include \"${file}\"\n")
    list(LENGTH batch files)
    if(files EQUAL 4 OR NOT left)
      list(LENGTH units n)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/together_${n}.cu)
      list(JOIN batch "" text)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
      set(batch "")
    endif()
  endwhile()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# A shared object of kernels that the command loads by name when it is asked to: cairn_loaded_kernels(target)
# It exports what the directory's entry.map says.
function(cairn_loaded_kernels target)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/entry.map -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/entry.map
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  if(NOT CAIRN_SANITIZE)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  add_dependencies(cairn_cli ${target})
  set_property(GLOBAL APPEND PROPERTY CAIRN_LOADED_KERNELS ${target})
endfunction()
