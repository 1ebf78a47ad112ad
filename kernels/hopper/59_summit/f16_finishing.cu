#include "kernels/hopper/59_summit/kernel.hpp"

namespace cairn::hopper_59 {
template Kernel kernel_of<__half, false, Form::finishing>(int tile, Major a, Major b);
}
