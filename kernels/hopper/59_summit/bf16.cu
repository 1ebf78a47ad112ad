#include "kernels/hopper/59_summit/kernel.hpp"

namespace cairn::hopper_59 {
template Kernel kernel_of<__nv_bfloat16, false, Form::plain>(int tile, Major a, Major b);
}
