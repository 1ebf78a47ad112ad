// The second file of launches.cu: relocatable device code.
#include "launches.cuh"

__device__ int shared_by_files = 0;

__device__ void add_on_the_device(float* sum, int by) {
  shared_by_files += by;
  *sum += by;
}

__global__ void by_a_helper(float* sum, int by) { add_on_the_device(sum, by); }

void add_from_another_file(float* sum, int by) { by_a_helper<<<1, 1>>>(sum, by); }
