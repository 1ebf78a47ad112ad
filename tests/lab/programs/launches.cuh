#pragma once

void add_from_another_file(float* sum, int by);
extern __device__ int shared_by_files;
__device__ void add_on_the_device(float* sum, int by);
