// Tensor maps and the boxes that are copied by them: which bytes of global memory go where in shared memory, and
// back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cairn/types.hpp"

namespace cairn {

enum class Swizzle : std::uint8_t { none, b32, b64, b128 };

struct TensorBox {
  const void* base;
  Type type;
  bool tf32 = false;
  int rank = 2;
  std::array<std::uint64_t, 5> sizes = {};
  std::array<std::uint64_t, 5> strides = {};
  std::array<std::uint32_t, 5> box = {};
  Swizzle swizzle = Swizzle::none;
};

}  // namespace cairn

namespace cairn::emu {

// As large as CUDA's, and as opaque to kernels.
struct alignas(64) TensorMap {
  static constexpr std::uint32_t kMade = 0x6d617020;

  std::byte* base;
  std::array<std::uint64_t, 5> sizes, strides;  // elements; bytes, the first an element's
  std::array<std::uint16_t, 5> box;
  std::uint8_t rank, element;  // dimensions; bytes
  Swizzle swizzle;
  bool tf32;
  std::uint32_t made;  // kMade, if make_tensor_map has made it

  unsigned row_bytes() const { return box[0] * unsigned{element}; }
  unsigned rows() const;                                   // of a box
  unsigned bytes() const { return rows() * row_bytes(); }  // of a box, in shared memory
  // How far a box reaches in shared memory: rows that are shorter than the swizzle's may lie anywhere in its span.
  unsigned reach() const;
  // What a box in shared memory must begin at a multiple of.
  unsigned alignment() const;
};
static_assert(sizeof(TensorMap) == 128);

Status encode_tensor_map(TensorMap& out, const TensorBox& what);

using Corner = std::array<int, 5>;  // where a box begins, in elements; may be outside of the matrix

// One row of a box: the part of it that is in the matrix, and where the row lies in the box.
struct BoxRow {
  std::byte* global;          // of the first element that is in the matrix
  unsigned before, bytes;     // bytes of the row that are outside before it, and that are inside
  std::size_t shared_offset;  // of the row's first byte, before pieces change places
};
// The row with this number, from 0 to rows(). `bytes` is 0 where all of it is outside. A store writes whole pieces of
// 16 bytes, also where the matrix ends within one: what lies behind it there is overwritten, as it is on an H200.
enum class Way : std::uint8_t { load, store };
BoxRow row_of(const TensorMap& map, const Corner& at, unsigned row, Way way);

// Where a byte of a box, or of a piece of 16, really lies in shared memory.
std::uintptr_t swizzled(Swizzle swizzle, std::uintptr_t address);

// To shared memory, zeros for what is outside.
void load_box(const TensorMap& map, const Corner& at, void* shared);
// From shared memory, in two steps: row by row as it lies in the matrix; and into the matrix, but for what is
// outside.
void read_box(const TensorMap& map, const void* shared, std::byte* to);
void write_box(const TensorMap& map, const Corner& at, const std::byte* from);

}  // namespace cairn::emu
