// Stands in for CUDA's header of this name: complex numbers as float2 and double2.
#pragma once

#include <cmath>

#include "emu/shadow/vector_functions.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// Each function once for floats, with an f at the end of its name, and once for doubles.
#define CAIRN_COMPLEX(Complex, Real, f)                                                                     \
  inline Real cuCreal##f(Complex x) { return x.x; }                                                         \
  inline Real cuCimag##f(Complex x) { return x.y; }                                                         \
  inline Complex cuConj##f(Complex x) { return {x.x, -x.y}; }                                               \
  inline Complex cuCadd##f(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }                         \
  inline Complex cuCsub##f(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }                         \
  inline Complex cuCmul##f(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline Complex cuCfma##f(Complex a, Complex b, Complex c) {                                               \
    return {a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};                                      \
  }                                                                                                         \
  /* Scaled, so that the squares of b do not overflow. */                                                   \
  inline Complex cuCdiv##f(Complex a, Complex b) {                                                          \
    const Real scale = 1 / (std::fabs(b.x) + std::fabs(b.y));                                               \
    const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                      \
    const Real size = 1 / (bx * bx + by * by);                                                              \
    return {(ax * bx + ay * by) * size, (ay * bx - ax * by) * size};                                        \
  }                                                                                                         \
  inline Real cuCabs##f(Complex x) { return std::hypot(x.x, x.y); }
CAIRN_COMPLEX(cuFloatComplex, float, f)
CAIRN_COMPLEX(cuDoubleComplex, double, )
#undef CAIRN_COMPLEX

inline cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
