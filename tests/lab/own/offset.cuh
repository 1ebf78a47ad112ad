// A header beside the kernels.
#pragma once
static __device__ float offset()
{
    return 0.0f;
}
