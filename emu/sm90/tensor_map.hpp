// Tensor maps, and the copies of boxes between global and shared memory that they describe.
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

// As large as CUtensorMap, and as opaque to kernels.
struct alignas(64) TensorMap {
  static constexpr std::uint32_t kMade = 0x6d617020;

  std::byte* base;
  std::array<std::uint64_t, 5> sizes, strides;  // elements; bytes, the first an element's
  std::array<std::uint16_t, 5> box;
  std::uint8_t rank, element;  // dimensions; bytes
  Swizzle swizzle;
  bool tf32;
  std::uint32_t made;  // kMade, if encode_tensor_map wrote it

  unsigned row_bytes() const { return box[0] * unsigned{element}; }
  unsigned rows() const;                                   // of a box
  unsigned bytes() const { return rows() * row_bytes(); }  // of a box, in shared memory
  // Bytes of shared memory that a box may touch: rows shorter than the swizzle's span may be anywhere in it.
  unsigned reach() const;
  // Of a box in shared memory.
  unsigned alignment() const;
};
static_assert(sizeof(TensorMap) == 128);

Status encode_tensor_map(TensorMap& out, const TensorBox& what);

using Corner = std::array<int, 5>;  // the first element of a box; may be outside of the matrix

// One row of a box: the part of it that is in the matrix, and its position in the box.
struct BoxRow {
  std::byte* global;          // the first element that is in the matrix
  unsigned before, bytes;     // bytes of the row before the matrix, and in it
  std::size_t shared_offset;  // of the row's first byte, before the swizzle
};
// The row with this number, from 0 to rows(). `bytes` is 0 if all of it is outside of the matrix. A store writes full
// 16-byte chunks: if the matrix ends within one, the bytes after its end are overwritten, as on an H200.
enum class Way : std::uint8_t { load, store };
BoxRow row_of(const TensorMap& map, const Corner& at, unsigned row, Way way);

// The address of a byte, or of a 16-byte chunk, after the swizzle.
std::uintptr_t swizzled(Swizzle swizzle, std::uintptr_t address);

// To shared memory, with zeros for what is outside of the matrix.
void load_box(const TensorMap& map, const Corner& at, void* shared);
// From shared memory, in two steps: unswizzled into `to`, row by row; and from there into the matrix.
void read_box(const TensorMap& map, const void* shared, std::byte* to);
void write_box(const TensorMap& map, const Corner& at, const std::byte* from);

}  // namespace cairn::emu
