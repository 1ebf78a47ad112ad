// CUDA's own standard library is the host's: kernels are host code here.
#pragma once

#include <cstddef>

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
