// What every product rung is put through: sizes on both sides of a tile's edge, every kind of alpha and beta, leading
// dimensions above the minimum, pointers off the grid. Honest rungs pass all of it; a mutant must fail some of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "lab/verify/case.hpp"

namespace cairn::lab::verify {

struct Scalars {
  double alpha, beta;
};
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr Scalars kScalars[] = {{1, 0}, {1, 1}, {-0.5, 0.5}, {2, -1},  {0, 0.5},
                                       {0, 1}, {0, 0}, {kNan, 0},   {1, kNan}};

struct Shape {
  std::int64_t m, n, k;
};

// All triples of sizes around the tiles' edges, then shapes that are long in one direction, thin, or empty.
inline std::vector<Shape> edge_shapes() {
  constexpr std::int64_t kEdges[] = {1, 16, 31, 33};
  std::vector<Shape> shapes;
  for (const auto m : kEdges)
    for (const auto n : kEdges)
      for (const auto k : kEdges) shapes.push_back({m, n, k});
  for (const Shape& s : std::initializer_list<Shape>{{32, 32, 32},
                                                     {64, 96, 64},
                                                     {65, 17, 129},
                                                     {300, 1, 2},
                                                     {1, 300, 2},
                                                     {2, 3, 500},
                                                     {129, 65, 1},
                                                     {0, 5, 3},
                                                     {5, 0, 3},
                                                     {5, 3, 0},
                                                     // Around tiles of 128: whole, just past, and by a float4 past.
                                                     {128, 256, 32},
                                                     {257, 130, 33},
                                                     {132, 260, 36},
                                                     {127, 129, 65}}) {
    shapes.push_back(s);
  }
  return shapes;
}

// `placement` 0: packed, on the grid; 1: every ld above its minimum; 2: every pointer off the grid; 3: both.
inline Case make_case(std::uint64_t seed, Problem p, Scalars scalars, Mode mode, unsigned placement) {
  p.pack();
  if (placement & 1) {
    p.lda += 3, p.ldb += 5, p.ldc += 1;
    p.stride_a = p.a().major * p.lda + 7, p.stride_b = p.b().major * p.ldb, p.stride_c = p.c().major * p.ldc + 2;
  }
  Case c;
  c.seed = seed;
  c.problem = p;
  c.alpha = scalars.alpha;
  c.beta = scalars.beta;
  c.mode = mode;
  if (placement & 2) c.offset_a = 1, c.offset_b = 2, c.offset_c = 3;
  c.null_inputs = !c.reads_inputs();
  return c;
}

// Everything on a boundary of 16 bytes, and then one pointer or one leading dimension off it, or 16 bytes further: a
// vector path must look at each of them. Once with whole tiles of 128, once with edges that cut 16 bytes. And whole
// tiles for so long that a ring of stages goes round.
inline std::vector<Case> alignment_cases(const Problem& like) {
  std::vector<Case> cases;
  const auto piece = std::max<std::int64_t>(4, 16 / size_of(like.in));
  const auto add = [&](Shape s, int moved, std::int64_t by) {
    Problem p = like;
    p.m = s.m, p.n = s.n, p.k = s.k;
    Case c = make_case(cases.size(), p, {1, 0.5}, Mode::exact, 0);
    for (std::int64_t* ld : {&c.problem.lda, &c.problem.ldb, &c.problem.ldc}) *ld = (*ld + piece - 1) / piece * piece;
    std::int64_t* const places[] = {&c.problem.lda, &c.problem.ldb, &c.problem.ldc,
                                    &c.offset_a,    &c.offset_b,    &c.offset_c};
    *places[moved] += by;
    cases.push_back(c);
  };
  for (const Shape shape : {Shape{128, 128, 16}, Shape{130, 70, 37}}) {
    add(shape, 0, 0);
    for (int moved = 0; moved < 6; ++moved)
      for (std::int64_t by = 1; by <= piece; by *= 2) add(shape, moved, by);
  }
  add({128, 128, 160}, 0, 0);
  return cases;
}

// `like` gives types, ops, order and batch.
inline std::vector<Case> edge_cases(const Problem& like) {
  std::vector<Case> cases;
  const auto add = [&](Shape s, Scalars scalars, Mode mode, unsigned placement) {
    Problem p = like;
    p.m = s.m, p.n = s.n, p.k = s.k;
    cases.push_back(make_case(cases.size(), p, scalars, mode, placement));
  };
  // Every shape, in both modes; alpha, beta and the placement take turns, each at its own pace.
  for (const Shape& shape : edge_shapes()) {
    for (const Mode mode : {Mode::exact, Mode::rounding}) {
      const std::size_t turn = cases.size();
      add(shape, kScalars[turn % std::size(kScalars)], mode, static_cast<unsigned>(turn / 2 % 4));
      add(shape, {1, 0}, mode, 3);
    }
  }
  // Every alpha and beta where there are no products: A and B are null, and alpha, even a NaN, does not matter.
  for (const Scalars scalars : kScalars) add({33, 17, 0}, scalars, Mode::exact, 3);
  // Every alpha and beta with every placement and every kind of data, once.
  for (const Scalars scalars : kScalars)
    for (const Mode mode : {Mode::exact, Mode::rounding, Mode::special})
      for (unsigned placement = 0; placement < 4; ++placement) add({33, 17, 35}, scalars, mode, placement);
  return cases;
}

}  // namespace cairn::lab::verify
