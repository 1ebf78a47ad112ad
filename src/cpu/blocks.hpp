// A product cut into blocks whose sizes and leading dimensions fit a BLAS with narrower integers than ours.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/call.hpp"

namespace cairn::cpu {

// The rows and columns of C, and the part of k, that one call of the BLAS computes.
struct Block {
  std::int64_t i0, j0, k0;
  std::int64_t rows, cols, depth;
};

// What the BLAS takes: the largest m, n or k, and the largest leading dimension, which is no smaller.
struct Limits {
  std::int64_t size, ld;
};

// Whether the whole product is one block.
inline bool fits(const Problem& p, const Limits& most) {
  return std::max({p.m, p.n, p.k}) <= most.size && std::max({p.lda, p.ldb, p.ldc}) <= most.ld;
}

// The largest block of a row-major problem. A leading dimension beyond the limit cannot be passed on, so a block has only
// one line of that matrix, of which the leading dimension is not used.
inline Block largest_block(const Problem& p, const Limits& most) {
  constexpr std::int64_t kLine = 1 << 16;  // then a part of a line is still in the cache for the next line's product
  const auto apart = [&](const Stored& s) { return s.major > 1 && s.ld > most.ld; };
  const bool a = apart(p.a()), b = apart(p.b()), c = apart(p.c());
  const std::int64_t longest = a || b || c ? std::min(kLine, most.size) : most.size;
  Block block{0, 0, 0, std::min(p.m, longest), std::min(p.n, longest), std::min(p.k, longest)};
  if (c || (a && p.op_a == Op::none)) block.rows = 1;
  if (b && p.op_b != Op::none) block.cols = 1;
  if ((a && p.op_a != Op::none) || (b && p.op_b == Op::none)) block.depth = 1;
  return block;
}

// Calls f(block) for all of them. The blocks of k that belong to the same part of C follow one another: the first
// takes the caller's beta, the others add to C.
template <class F> void each_block(const Problem& p, const Limits& most, const F& f) {
  const Block size = largest_block(p, most);
  for (std::int64_t i0 = 0; i0 < p.m; i0 += size.rows)
    for (std::int64_t j0 = 0; j0 < p.n; j0 += size.cols)
      for (std::int64_t k0 = 0; k0 < p.k; k0 += size.depth)
        f(Block{i0, j0, k0, std::min(size.rows, p.m - i0), std::min(size.cols, p.n - j0),
                std::min(size.depth, p.k - k0)});
}

}  // namespace cairn::cpu
