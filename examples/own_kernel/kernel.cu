// A smoothing filter along the rows of an image, as one finds it in many programs: raw index arithmetic, a static and a
// dynamic shared array, a template. Nothing in it knows Cairn but the launch, at the end.
#include <cuda_runtime.h>

#include <device/launch.hpp>

template <typename T, int RADIUS>
__global__ void smooth_rows(const T *in, const T *weights, T *out, int width, int height)
{
    extern __shared__ unsigned char raw[];
    T *line = reinterpret_cast<T *>(raw);            // blockDim.x + 2 * RADIUS elements
    __shared__ T w[2 * RADIUS + 1];

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;

    if (threadIdx.x < 2 * RADIUS + 1)
        w[threadIdx.x] = weights[threadIdx.x];
    for (int i = threadIdx.x; i < (int)blockDim.x + 2 * RADIUS; i += blockDim.x) {
        int from = (int)(blockIdx.x * blockDim.x) + i - RADIUS;
        from = from < 0 ? 0 : from >= width ? width - 1 : from;
        line[i] = in[y * width + from];
    }
    __syncthreads();

    if (x < width && y < height) {
        T sum = 0;
        for (int i = 0; i <= 2 * RADIUS; i++)
            sum += w[i] * line[threadIdx.x + i];
        out[y * width + x] = sum;
    }
}

bool smooth(const float *image, const float *weights, float *result, int width, int height)
{
    const int block = 128, radius = 2;
    const size_t bytes = sizeof(float) * width * height;
    float *in, *w, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&w, (2 * radius + 1) * sizeof(float));
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, image, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(w, weights, (2 * radius + 1) * sizeof(float), cudaMemcpyHostToDevice);

    // smooth_rows<float, radius><<<dim3((width + block - 1) / block, height), block,
    //                              (block + 2 * radius) * sizeof(float)>>>(in, w, out, width, height);
    cairn::launch({(width + block - 1) / block, height}, block, (block + 2 * radius) * sizeof(float), nullptr, smooth_rows<float, radius>, in, w, out, width, height);

    bool good = cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(in);
    cudaFree(w);
    cudaFree(out);
    return good;
}
