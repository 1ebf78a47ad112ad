# A toolchain file for projects in CUDA: cmake -DCMAKE_TOOLCHAIN_FILE=…/cairn-nvcc.cmake compiles their .cu files for
# Cairn's emulator, without a GPU and without CUDA.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH cairn_prefix)
find_program(CAIRN_NVCC cairn-nvcc HINTS ${cairn_prefix}/bin ${cairn_prefix}/../../bin ${cairn_prefix}/build/bin REQUIRED)
set(CMAKE_CUDA_COMPILER ${CAIRN_NVCC})
# One architecture is as good as another here, and none need be named.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
