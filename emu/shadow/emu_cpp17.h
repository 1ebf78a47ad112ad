// For programs of C++17 and before, which the emulator's headers make C++20: the C library's <math.h> then has a lerp in
// the global namespace, where many a program has its own, for floats and vectors.
#pragma once

#define lerp lerp_of_cpp20
#include <cmath>
#include <math.h>
#undef lerp
