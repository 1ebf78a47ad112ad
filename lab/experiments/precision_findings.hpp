// The errors of products against the exact ones, and how they grow with K.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cairn::lab {

// One product by one way of multiplying. Errors are of all of C together, in the Frobenius norm, and relative to the
// exact A B.
struct Erring {
  std::string numbers;  // how A and B were drawn: "N(0, 1)"
  std::string name;     // "simt/22"
  std::string type;     // "f32", "split", "f16:f32"
  std::int64_t k = 0;
  double error = 0;    // |C - A B| / |A B|
  double factors = 0;  // |A' B' - A B| / |A B|, where A' and B' are rounded to what is multiplied
  double sums = 0;     // |C - A' B'| / |A B|: what is left, made by adding up
  double largest = 0;  // of single elements: |C - A B| over the sum of |a||b|
  double rowwise = 0;  // of the rows of C: |C_i - (A B)_i| / |(A B)_i|; 0 in a record from before it was measured

  std::string way() const { return name + " " + type; }
};

// The power of k that runs closest to (k, error), both taken as logarithms; 0 for fewer than two different k.
double growth(const std::vector<std::pair<double, double>>& points);

// By numbers and way, in the order they come in: the growth of `sums`.
struct Growth {
  std::string numbers, way;
  double power = 0;
};
std::vector<Growth> growths(const std::vector<Erring>& all);

struct Conclusions {
  std::vector<std::string> sentences;
  bool holds = true;  // whether split is as good as it is claimed to be
};
// Sentences: how errors grow, the error of rounding the factors, and split against f32. The claims, for k from 1024 on:
// the error of split is at most that of simt/22 in f32, and at most 1.5 times that for U(0, 1), but where a few elements
// are nearly all of |C|; and the largest error of a row by Hopper's split is at most that by cuBLAS's f32, or by
// simt/22's where there is no cuBLAS.
Conclusions compare_errors(const std::vector<Erring>& all);

}  // namespace cairn::lab
