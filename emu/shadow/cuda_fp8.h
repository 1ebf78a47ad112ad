// Stands in for CUDA's header of this name: the 8-bit storage types and their conversions, each rounded once, to nearest
// even. The constructors of the types saturate; a NaN becomes 0x7f, as on a GPU.
#pragma once

#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"
#include "emu/shadow/emu_fp8.h"

#define __CUDA_FP8_H__  // as for __DRIVER_TYPES_H__

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t as) {
  return as == __NV_E4M3 ? cairn::emu::encode_fp8<cairn::emu::E4m3Format>(x, saturate == __NV_SATFINITE)
                         : cairn::emu::encode_fp8<cairn::emu::E5m2Format>(x, saturate == __NV_SATFINITE);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t as) {
  return __nv_cvt_double_to_fp8(x, saturate, as);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t as) {
  return __nv_cvt_double_to_fp8(__half(x).wide(), saturate, as);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t as) {
  return __nv_cvt_double_to_fp8(__nv_bfloat16(x).wide(), saturate, as);
}

inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t as) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(v.x, saturate, as) |
                                           __nv_cvt_double_to_fp8(v.y, saturate, as) << 8);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t as) {
  return __nv_cvt_double2_to_fp8x2({v.x, v.y}, saturate, as);
}
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t as) {
  const __half2 pair(v);
  return __nv_cvt_double2_to_fp8x2({pair.x.wide(), pair.y.wide()}, saturate, as);
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t as) {
  const __nv_bfloat162 pair(v);
  return __nv_cvt_double2_to_fp8x2({pair.x.wide(), pair.y.wide()}, saturate, as);
}

// Every 8-bit number is a half.
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t as) {
  return __half(as == __NV_E4M3 ? cairn::emu::decode_fp8<cairn::emu::E4m3Format>(bits)
                                : cairn::emu::decode_fp8<cairn::emu::E5m2Format>(bits));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits, __nv_fp8_interpretation_t as) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(bits), as).x,
          __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(bits >> 8), as).x};
}

using __nv_fp8_e4m3 = cairn::emu::Fp8<cairn::emu::E4m3Format>;
using __nv_fp8_e5m2 = cairn::emu::Fp8<cairn::emu::E5m2Format>;
using __nv_fp8x2_e4m3 = cairn::emu::Fp8x2<cairn::emu::E4m3Format>;
using __nv_fp8x2_e5m2 = cairn::emu::Fp8x2<cairn::emu::E5m2Format>;
using __nv_fp8x4_e4m3 = cairn::emu::Fp8x4<cairn::emu::E4m3Format>;
using __nv_fp8x4_e5m2 = cairn::emu::Fp8x4<cairn::emu::E5m2Format>;
