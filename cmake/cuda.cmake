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
if(CAIRN_CUDA_ARCHITECTURES STREQUAL "mine")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE no_gpu)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  if(no_gpu OR NOT capabilities)
    set(capabilities 9.0)
  endif()
  list(REMOVE_DUPLICATES capabilities)
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(TRANSFORM capabilities REPLACE "^90$" "90a")  # Hopper's own instructions
  list(TRANSFORM capabilities APPEND "-real")
  set(CAIRN_CUDA_ARCHITECTURES ${capabilities})  # for this run of CMake; the cache keeps the wish
endif()
set(CMAKE_CUDA_ARCHITECTURES ${CAIRN_CUDA_ARCHITECTURES})
enable_language(CUDA)

# CMake 3.25 has no flag for nvcc and C++20: CUDA_STANDARD 20 is refused, or quietly gives C++17, and a -std=c++20 of our
# own is followed by its -std=c++17. nvcc has known the flag since CUDA 12.0.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
