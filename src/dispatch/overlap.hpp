// Whether C shares memory with A or B. Every element of C is written once, in no order that a caller may rely on, so
// that a factor in the same memory would be read partly before and partly after it changed.
//
// Ranges of addresses may interleave without sharing an element: A, B and C are often blocks of one larger matrix. A
// call is therefore refused only if an element is shared for certain.
#pragma once

#include <cstdint>

#include "src/call.hpp"

namespace cairn::dispatch {

// The memory of one matrix of a batch: `batch` times, stride bytes apart, `lines` lines of `line` bytes, ld bytes
// apart.
struct Footprint {
  std::uintptr_t first = 0;
  std::int64_t line = 0;
  std::int64_t lines = 0, ld = 0;
  std::int64_t batch = 0, stride = 0;

  // The ld of a single line and the stride of a single matrix lead nowhere, and check() takes any.
  Footprint(const void* matrix, const Stored& s, Type type, std::int64_t batches, std::int64_t stride_elements)
      : first(reinterpret_cast<std::uintptr_t>(matrix)),
        line(s.minor * size_of(type)),
        lines(s.major),
        ld(lines > 1 ? s.ld * size_of(type) : 0),
        batch(batches),
        stride(batch > 1 ? stride_elements * size_of(type) : 0) {}

  // Bytes from the first to one past the last; check() has seen that they fit 64 bits.
  std::int64_t bytes() const { return (batch - 1) * stride + (lines - 1) * ld + line; }
};

// Whether the ranges of addresses share a byte: for most calls they do not, and that is all there is to look at.
inline bool ranges_meet(const Footprint& x, const Footprint& y) {
  // Unsigned: a distance below zero is larger than any size.
  return y.first - x.first < static_cast<std::uintptr_t>(x.bytes()) ||
         x.first - y.first < static_cast<std::uintptr_t>(y.bytes());
}

// For ranges that meet. Exact, but for strides and leading dimensions that differ so much that it would take more than
// kMostSteps steps to find out: those count as separate. Neither may be empty.
bool share_element(const Footprint& x, const Footprint& y);
inline bool overlap(const Footprint& x, const Footprint& y) { return ranges_meet(x, y) && share_element(x, y); }
inline constexpr int kMostSteps = 1024;

}  // namespace cairn::dispatch
