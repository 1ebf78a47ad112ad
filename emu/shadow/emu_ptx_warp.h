// PTX of a warp or a block: barriers, shuffles, and the tensor cores of sm_80.
#pragma once

#include "emu/shadow/emu_ptx_bits.h"
#include "emu/shadow/emu_sync.h"
#include "emu/shadow/emu_warp.h"

namespace cairn::emu::ptx {

// Of all threads, or of so many.
inline void sync(int id, Site site = Site::current()) {
  if (id == 0) {
    block_sync(false, "bar.sync", site);
    return;
  }
  const dim3 size = block_extent();
  named_sync(id, static_cast<int>(size.x * size.y * size.z), site);
}
inline void sync(int id, int count, Site site = Site::current()) { named_sync(id, count, site); }
inline void arrive(int id, int count, Site site = Site::current()) { named_arrive(id, count, site); }
[[noreturn]] inline void trap(Site site = Site::current()) { emu::trap(site); }

// c has the bounds: the segment's mask in bits 8 to 12, and the last lane in bits 0 to 4. `inside`: the source lane is
// in the segment; else a lane gets its own value.
struct Shuffled {
  std::uint32_t value;
  bool inside;
};
inline Shuffled shuffle(const char* call, std::uint32_t value, unsigned from, bool inside, unsigned mask, Site site) {
  const unsigned source = inside ? from : lane();
  return {static_cast<std::uint32_t>(warp_exchange(WarpOp::shuffle, call, mask, value, source, site)), inside};
}
inline unsigned first_of(std::uint32_t c) { return lane() & (c >> 8 & 31); }
inline unsigned last_of(std::uint32_t c) { return first_of(c) | (c & 31 & ~(c >> 8)); }
inline Shuffled shuffle_up(std::uint32_t value, std::uint32_t by, std::uint32_t c, std::uint32_t mask,
                           Site site = Site::current()) {
  const int from = static_cast<int>(lane()) - static_cast<int>(by & 31);
  return shuffle("shfl.up", value, static_cast<unsigned>(from), from >= static_cast<int>(last_of(c)), mask, site);
}
inline Shuffled shuffle_down(std::uint32_t value, std::uint32_t by, std::uint32_t c, std::uint32_t mask,
                             Site site = Site::current()) {
  const unsigned from = lane() + (by & 31);
  return shuffle("shfl.down", value, from, from <= last_of(c), mask, site);
}
inline Shuffled shuffle_bfly(std::uint32_t value, std::uint32_t by, std::uint32_t c, std::uint32_t mask,
                             Site site = Site::current()) {
  const unsigned from = lane() ^ (by & 31);
  return shuffle("shfl.bfly", value, from, from <= last_of(c), mask, site);
}
inline Shuffled shuffle_idx(std::uint32_t value, std::uint32_t index, std::uint32_t c, std::uint32_t mask,
                            Site site = Site::current()) {
  const unsigned from = first_of(c) | (index & 31 & ~(c >> 8));
  return shuffle("shfl.idx", value, from, from <= last_of(c), mask, site);
}

// An address that is in no shared array is refused where its row is read.
inline const void* row_at(Shared at) { return find(at, 16); }
inline const void* row_at(Pointer at) { return at.address; }

template <int count, bool transposed, class Address>
Words<std::uint32_t, count> ldmatrix(Address row, Site site = Site::current()) {
  Words<std::uint32_t, count> words;
  warp_ldmatrix(words.of, row_at(row), count, transposed, "ldmatrix", site);
  return words;
}
template <int count, bool transposed, class Address>
void stmatrix(Address row, const Words<std::uint32_t, count>& words, Site site = Site::current()) {
  warp_stmatrix(const_cast<void*>(row_at(row)), words.of, count, transposed, "stmatrix", site);
}

template <fragment::Type type, int m, int k, bool half, class In, int a_words, int b_words, class Sum, int sums>
Words<Sum, sums> mma(const Words<In, a_words>& a, const Words<In, b_words>& b, const Words<Sum, sums>& c,
                     Site site = Site::current()) {
  static constexpr Multiply what{{fragment::Op::mma, type, {m, 8, k}}, half, half};
  constexpr int kElements = type == fragment::Type::f16 || type == fragment::Type::bf16 ? 2 : 1;
  static_assert(fragment::held(what.kind, fragment::Operand::a) == a_words * kElements, "mma: registers of A");
  static_assert(fragment::held(what.kind, fragment::Operand::b) == b_words * kElements, "mma: registers of B");
  static_assert(fragment::held(what.kind, fragment::Operand::c) == sums * (half ? 2 : 1), "mma: registers of C");
  Words<Sum, sums> d;
  warp_mma(what, "mma", {a.of, b.of, c.of, d.of}, site);
  return d;
}

}  // namespace cairn::emu::ptx
