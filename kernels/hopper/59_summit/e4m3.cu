#include "kernels/hopper/59_summit/kernel.hpp"

namespace cairn::hopper_59 {
template Kernel kernel_of<E4m3, false, Form::plain>(int tile, Major a, Major b);
}
