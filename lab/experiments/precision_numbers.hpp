// How the experiment on errors draws A and B.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/random.hpp"

namespace cairn::lab {

struct Numbers {
  const char* name;
  double (*draw)(Random& random);
  int takes;       // how many random numbers one of these takes, so that threads can share out a stream
  int scaled = 0;  // rows of A and columns of B by a power of two each, from 2^-scaled to 2^scaled
};
std::span<const Numbers> all_numbers();

// m x k and k x n, row-major. The same for any number of threads.
struct Factors {
  std::vector<float> A, B;
};
Factors draw(const Numbers& numbers, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed);

}  // namespace cairn::lab
