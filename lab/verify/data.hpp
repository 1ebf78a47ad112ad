// The numbers of a case, and the guarded memory they lie in.
//
// All memory around a matrix holds NaN: before it, after it, in the padding between the end of a line and its ld, in
// the gaps of a batch. A kernel that reads there gets NaN into its result; one that writes there changes bits that
// are compared afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/types.hpp"
#include "lab/verify/case.hpp"

namespace cairn::lab::verify {

// One operand's allocation on the host. `first` is the byte at which element 0 of the matrix stands; counted from a
// 256-byte boundary it is the case's offset.
struct Guarded {
  Type type = Type::f32;
  std::size_t first = 0;
  std::vector<std::byte> bytes;

  std::byte* matrix() { return bytes.data() + first; }
  const std::byte* matrix() const { return bytes.data() + first; }
};

struct Data {
  Guarded A, B, C;           // with alias, B is a copy of A
  Guarded bias, before;      // of an epilogue; else empty matrices
  Guarded scale_a, scale_b;  // likewise
  Guarded ends;              // of groups: 32-bit integers among the NaN of f32
  const std::int32_t* group_ends() const { return reinterpret_cast<const std::int32_t*>(ends.matrix()); }
};

// The bits of the NaN in guards: no arithmetic produces this NaN, so an element of C that still has it was not
// written.
std::uint64_t poison_bits(Type type);

// A, B and C come from three different streams of the case's seed: a kernel that takes one for another is seen.
Data make_data(const Case& test);

// In exact mode: how large the entries of op(A) and op(B) may be, how many entries of a row of op(A) are not zero,
// and how large those of C may be, so that every sum fits the accumulator and every result the output type.
struct ExactRange {
  std::int64_t inputs = 1;
  std::int64_t per_row = 0;
  std::int64_t outputs = 1;
};
ExactRange exact_range(const Case& test);

}  // namespace cairn::lab::verify
