#include "emu/sm90/tensor_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace cairn::emu {

namespace {

constexpr unsigned kChunk = 16;                              // bytes of a chunk, which a swizzle does not split
constexpr std::array<unsigned, 4> kSpan = {0, 32, 64, 128};  // bytes within which chunks are exchanged

// To nearest, ties to even, as TMA rounds. A NaN stays one.
std::uint32_t to_tf32(std::uint32_t bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (bits & 0xffffe000u) | 0x00400000u;
  return (bits + 0xfffu + (bits >> 13 & 1)) & 0xffffe000u;
}

void round_row(std::byte* row, unsigned bytes) {
  for (unsigned i = 0; i + 4 <= bytes; i += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, row + i, 4);
    bits = to_tf32(bits);
    std::memcpy(row + i, &bits, 4);
  }
}

std::string number(std::uint64_t value) { return std::to_string(value); }

Status refuse(std::string why) { return {Code::invalid_argument, "tensor map: " + std::move(why)}; }

Status check_dimension(const TensorBox& what, std::size_t i) {
  constexpr std::uint64_t kMostSize = std::uint64_t{1} << 32, kEndOfStrides = std::uint64_t{1} << 40;
  if (what.sizes[i] < 1 || what.sizes[i] > kMostSize)
    return refuse("size " + number(i) + " is " + number(what.sizes[i]) + "; sizes are 1 to 2^32");
  if (what.box[i] < 1 || what.box[i] > 256)
    return refuse("side " + number(i) + " of the box is " + number(what.box[i]) + "; sides are 1 to 256");
  if (i > 0 && (what.strides[i] % 16 != 0 || what.strides[i] >= kEndOfStrides))
    return refuse("stride " + number(i) + " is " + number(what.strides[i]) +
                  " bytes; strides are multiples of 16 below 2^40");
  return {};
}

}  // namespace

unsigned TensorMap::rows() const {
  unsigned rows = 1;
  for (unsigned i = 1; i < rank; ++i) rows *= box[i];
  return rows;
}

unsigned TensorMap::reach() const {
  const unsigned span = std::max(kChunk, kSpan[static_cast<std::size_t>(swizzle)]);
  return (bytes() + span - 1) / span * span;
}

unsigned TensorMap::alignment() const {
  const unsigned span = kSpan[static_cast<std::size_t>(swizzle)];
  return span == 0 ? 128 : 8 * span;
}

Status encode_tensor_map(TensorMap& out, const TensorBox& what) {
  if (what.rank < 1 || what.rank > 5) return refuse("rank " + std::to_string(what.rank) + "; ranks are 1 to 5");
  if (what.base == nullptr || reinterpret_cast<std::uintptr_t>(what.base) % 16 != 0)
    return refuse("the matrix begins at no multiple of 16");
  const auto rank = static_cast<std::size_t>(what.rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (Status status = check_dimension(what, i); !status.ok()) return status;
  }
  const auto element = static_cast<unsigned>(size_of(what.type)), row = what.box[0] * element;
  if (row % kChunk != 0)
    return refuse("the first side of the box is " + number(row) + " bytes, which is no multiple of 16");
  const unsigned span = kSpan[static_cast<std::size_t>(what.swizzle)];
  if (span != 0 && row > span)
    return refuse("the first side of the box is " + number(row) + " bytes, and its swizzle takes " + number(span));
  out = {};
  out.base = static_cast<std::byte*>(const_cast<void*>(what.base));
  out.rank = static_cast<std::uint8_t>(rank);
  out.element = static_cast<std::uint8_t>(element);
  out.sizes.fill(1), out.box.fill(1);
  for (std::size_t i = 0; i < rank; ++i) {
    out.sizes[i] = what.sizes[i];
    out.strides[i] = i == 0 ? element : what.strides[i];
    out.box[i] = static_cast<std::uint16_t>(what.box[i]);
  }
  out.swizzle = what.swizzle;
  out.tf32 = what.tf32 && what.type == Type::f32;
  out.made = TensorMap::kMade;
  return {};
}

BoxRow row_of(const TensorMap& map, const Corner& at, unsigned row, Way way) {
  BoxRow out{map.base, 0, 0, std::size_t{row} * map.row_bytes()};
  for (unsigned i = 1; i < map.rank; ++i) {
    const std::int64_t here = std::int64_t{at[i]} + row % map.box[i];
    row /= map.box[i];
    if (here < 0 || here >= static_cast<std::int64_t>(map.sizes[i])) return out;
    out.global += static_cast<std::uint64_t>(here) * map.strides[i];
  }
  const std::int64_t begin = at[0], end = begin + map.box[0];
  const std::int64_t low = std::max<std::int64_t>(begin, 0);
  const std::int64_t high = std::min<std::int64_t>(end, static_cast<std::int64_t>(map.sizes[0]));
  if (low >= high) return out;
  out.global += low * map.element;
  out.before = static_cast<unsigned>(low - begin) * map.element;
  out.bytes = static_cast<unsigned>(high - low) * map.element;
  if (way == Way::store && high < end) {
    const auto begun = static_cast<unsigned>(high * map.element % kChunk), left = static_cast<unsigned>(end - high);
    if (begun != 0) out.bytes += std::min<unsigned>(kChunk - begun, left * map.element);
  }
  return out;
}

std::uintptr_t swizzled(Swizzle swizzle, std::uintptr_t address) {
  switch (swizzle) {
    case Swizzle::b32: return address ^ (address >> 3 & 0x10);
    case Swizzle::b64: return address ^ (address >> 3 & 0x30);
    case Swizzle::b128: return address ^ (address >> 3 & 0x70);
    case Swizzle::none: break;
  }
  return address;
}

void load_box(const TensorMap& map, const Corner& at, void* shared) {
  const unsigned rows = map.rows(), bytes = map.row_bytes();
  std::array<std::byte, 256 * 8> row;
  for (unsigned r = 0; r < rows; ++r) {
    const BoxRow from = row_of(map, at, r, Way::load);
    auto* to = static_cast<std::byte*>(shared) + from.shared_offset;
    if (from.bytes < bytes) std::memset(row.data(), 0, bytes);
    if (from.bytes > 0) std::memcpy(row.data() + from.before, from.global, from.bytes);
    if (map.tf32) round_row(row.data(), bytes);
    if (map.swizzle == Swizzle::none) {
      std::memcpy(to, row.data(), bytes);
      continue;
    }
    for (unsigned i = 0; i < bytes; i += kChunk) {
      const std::uintptr_t chunk = swizzled(map.swizzle, reinterpret_cast<std::uintptr_t>(to + i));
      std::memcpy(reinterpret_cast<void*>(chunk), row.data() + i, kChunk);
    }
  }
}

void read_box(const TensorMap& map, const void* shared, std::byte* to) {
  const unsigned bytes = map.bytes();
  const auto from = reinterpret_cast<std::uintptr_t>(shared);
  for (unsigned i = 0; i < bytes; i += kChunk)
    std::memcpy(to + i, reinterpret_cast<const void*>(swizzled(map.swizzle, from + i)), kChunk);
}

void write_box(const TensorMap& map, const Corner& at, const std::byte* from) {
  const unsigned rows = map.rows();
  for (unsigned r = 0; r < rows; ++r) {
    const BoxRow to = row_of(map, at, r, Way::store);
    if (to.bytes > 0) std::memcpy(to.global, from + to.shared_offset + to.before, to.bytes);
  }
}

}  // namespace cairn::emu
