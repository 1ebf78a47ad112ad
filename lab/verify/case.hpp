// A case: one product to verify, drawn whole from one seed, so that the seed is enough to run it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/types.hpp"
#include "lab/leading.hpp"

namespace cairn::lab::verify {

enum class Mode : std::uint8_t {
  exact,     // small integers: every sum fits, so every bit of C must be right
  rounding,  // real numbers: every element within its bound
  special    // real numbers with NaN, infinities, zeros of both signs and denormals among them
};

struct Case {
  std::uint64_t seed = 0;  // draws the case and its data
  Problem problem;
  double alpha = 1;
  double beta = 0;
  Mode mode = Mode::exact;
  std::int64_t offset_a = 0, offset_b = 0, offset_c = 0;  // elements past a 256-byte boundary
  std::int64_t offset_bias = 0, offset_before = 0;        // likewise
  std::int64_t offset_scale_a = 0, offset_scale_b = 0;
  bool alias = false;           // B is the same memory as A
  double activation_error = 0;  // a contender's own, relative to the argument, beyond the bound
  bool scales_factors = false;  // a contender's own: small factors cost it nothing beyond the bound
  bool null_inputs = false;     // A and B are null, where alpha = 0 or k = 0 forbids reading them

  bool reads_inputs() const;  // false where alpha = 0 or k = 0, or C is empty
  std::string describe() const;
};

// Every pair of types, compute mode, layout and order there is, as problems of size 1.
const std::vector<Problem>& every_kind();

// What may be drawn.
struct Space {
  std::vector<Problem> like;    // type, compute, ops and order are one of these, sizes are drawn; empty: every_kind()
  std::int64_t max_size = 300;  // of m, n and k
  bool fixed_shape = false;     // take m, n and k from `like` too
  // What is not drawn, where it is given.
  LeadingDimensions leading = {};
  std::optional<std::int64_t> batch = {};
  std::optional<double> alpha = {}, beta = {};
  std::optional<Invariant> invariant = {};
  std::optional<std::int64_t> groups = {};
  bool epilogues = true;                      // some cases have one,
  std::vector<Problem> given_epilogues = {};  // or, where these are given, all have that of one of them
  std::string flags;                          // the command-line flags that describe this space, for replay commands
};

Case draw(std::uint64_t seed, const Space& space);

// The same case without an epilogue, and without groups.
Case without_epilogue(Case test);
Case without_groups(Case test);

// The same problem with leading dimensions and batch strides of A and B rounded up to multiples of so many bytes; and
// the same case with A and B aligned to them.
Problem with_rows(Problem problem, int bytes);
Case with_pointers(Case test, int bytes);

// The seed of case `index` of a run.
std::uint64_t case_seed(std::uint64_t run_seed, std::int64_t index);

std::string_view name(Mode mode);

// Whether it makes integers of integers; what a transcendental function makes of them is rounded.
inline bool is_exact(Activation activation) {
  return activation == Activation::none || activation == Activation::relu;
}

}  // namespace cairn::lab::verify
