// Kernels as people write them, for own_command_test: clean, racy, out of bounds; and host code that g++ cannot compile.
// In a comment everything goes: asm("x"), tex2D(), kernel<<<1, 1>>>().
#include <cstdio>
#include <vector>

#include "offset.cuh"

namespace mine
{

// Each block turns its 64 numbers round by way of shared memory, and adds `by`.
template <typename T, int N>
__global__ void __launch_bounds__(N) turn(const T *in, T *out, int n, float by)
{
    __shared__ T buffer[N];
    extern __shared__ float dynamic[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = in[i];
    dynamic[threadIdx.x] = by;
    __syncthreads();
    if (i < n)
        out[i] = buffer[N - 1 - threadIdx.x] + dynamic[threadIdx.x] + offset();
}

} // namespace mine

__global__ void racy(float *out)
{
    __shared__ float buffer[64];
    buffer[threadIdx.x] = threadIdx.x; // <- store
    out[threadIdx.x] = buffer[63 - threadIdx.x]; // <- load
}

__global__ void past(float *out)
{
    out[threadIdx.x + 1] = 1; // <- past
}

__global__ void numbers(long long *out, const unsigned char *c, short s, double d, size_t u, bool b, void *nothing)
{
    out[0] = c[1] + s + (long long)d + (long long)u + b + (nothing != nullptr);
    printf("asm <<<%lld>>>\n", out[0]);
}

void helper(float *a, float *b)
{
    mine::turn<float, 64><<<dim3(4), 64,
                            64 * sizeof(float)>>>(a, b, 3, 1.0f);
    racy<<<1, 64>>>(b);
}

int main(int argc, char **argv)
{
    std::vector<float> data(64);
    cudaTextureObject_t texture = somethingThatDoesNotExist(argv);
    racy<<<1, 64>>>(data.data());
    return argc;
}
