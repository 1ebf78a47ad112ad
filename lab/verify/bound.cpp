#include "lab/verify/bound.hpp"

#include <algorithm>
#include <cmath>

#include "lab/verify/limits.hpp"

namespace cairn::lab::verify {
namespace {

// The most products that one tensor-core instruction adds to an accumulator.
double depth(const Problem& p) {
  if (p.in == Type::e4m3) return 32;
  return p.compute == Compute::tf32 ? 8 : 16;  // TF32 is twice as wide, but split may be f16 or bf16
}

}  // namespace

double smallest_factor(const Problem& p) {
  switch (p.in) {
    case Type::f64: return 0;
    case Type::f16: return 0x1p-14;
    case Type::bf16: return 0x1p-126;
    case Type::e4m3: return 0x1p-6;
    case Type::f32: break;
  }
  // A split factor is the sum of two TF32; below 2^-113 the last bits of the second are below TF32's smallest
  // denormal.
  return p.compute == Compute::tf32 ? 0x1p-126 : p.compute == Compute::split ? 0x1p-113 : 0;
}

bool scales_factors(std::string_view contender, const Problem& p) {
  return p.compute == Compute::split && contender.starts_with("hopper/");
}

Bounds::Bounds(const Problem& p, double alpha)
    : activation_(p.activation), acc_unit_(limits(accumulator(p.in)).unit), out_unit_(limits(p.out).unit) {
  const Limits acc = limits(accumulator(p.in));
  // Scales are multiplied, and the sum by their product; in blocks, that of every 128.
  const double n = static_cast<double>(p.k) + (p.bias == Bias::none ? 2 : 3) + (p.is_scaled() ? 2 : 0);
  const double k = static_cast<double>(std::max<std::int64_t>(p.k, 1));
  const bool tf32 = p.compute == Compute::tf32, split = p.compute == Compute::split;
  // Half the output's smallest step, and one of the accumulator's for every product that may underflow in it.
  underflow_ = 0.5 * limits(p.out).tiny + n * acc.tiny * std::max(1.0, std::abs(alpha));
  // TF32 rounds both factors to 11 bits first: 2^-11 each, and a little for the product of the two. Split factors
  // lose the last bit of what is left of them, 2^-23 each, and the product of what is left of both, 2^-22.
  inputs_ = tf32 ? 0x1.002p-10 : split ? 0x1p-21 : 0;

  // Types that may run on tensor cores, which truncate sums towards zero instead of rounding them, so that the errors
  // of a chain of instructions need not cancel: twice the unit for each, and the shortest instruction adds 8 products
  // (4 of TF32). In the worst case every product costs that.
  const bool cut_off = tf32 || p.in == Type::f16 || p.in == Type::bf16;
  const double unit = cut_off ? 2 * acc.unit : acc.unit;
  double chain = cut_off ? std::ceil(k / (tf32 ? 4 : 8)) * unit : 0, worst_chain = 0;
  // Terms are truncated 25 bits after the binary point of the largest. The excess of an instruction's products
  // costs each of its terms 2^-25 of that excess, in this instruction only, so that it does not grow with k.
  const double products = std::min(k, depth(p));
  const double last = cut_off || split ? acc.unit / 2 : 0;
  all_cut_ = (products + 1) * last * (split ? 3 : 1);
  if (p.in == Type::e4m3) {
    // An instruction adds 32 products and the accumulator, truncates these 33 terms 13 bits after the binary point of
    // the largest, and truncates the result likewise. No term grows, so none exceeds the magnitude. In the worst case
    // 32 products lose a last bit each, or all of themselves, and the accumulator loses it twice. On average a
    // truncation costs half a bit, and 34 of them have a standard deviation of sqrt(34 / 12); one product may be
    // nearly all of the magnitude from the first instruction on. Without Compute::fast a chain ends after 128
    // products.
    const double all = std::ceil(k / 32), instructions = p.compute == Compute::fast ? all : std::min(all, 4.0);
    const double bit = std::ldexp(1.0, 1 - kNarrowSum), step = bit * instructions;
    chain = 17 * step + 6 * std::sqrt(34 * instructions / 12) * bit;
    products_ = 32 * step;
    worst_chain = 2 * step;
    products_cut_ = products * bit;
    all_cut_ = products_cut_ + bit;
  }
  if (split) {
    // A chain is promoted to f32 after 32 of k, with three instructions for each 8. In the worst case an instruction
    // truncates its nine terms at half a unit each, and their sum at two units.
    const double instructions = 3 * std::ceil(std::min(k, 32.0) / 8);
    chain = instructions * 2 * acc.unit;
    worst_chain = instructions * 6.5 * acc.unit;
  }
  expected_ = 8 * std::sqrt(k) * acc.unit + chain;
  rigorous_ = n * unit / (1 - n * unit) + worst_chain;
}

Bound Bounds::at(double magnitude, double exact, double excess) const {
  const Bound sums = of_sums(magnitude, excess);
  const double rounding = out_unit_ * std::abs(exact);
  return {sums.expected + rounding, sums.rigorous + rounding};
}

Bound Bounds::activated(double magnitude, double before, double after, double excess) const {
  const Bound sums = of_sums(magnitude, excess);
  const bool computed = activation_ != Activation::relu;
  const double slope = computed ? 1.13 : 1, own = computed ? 12 * acc_unit_ * std::abs(before) : 0;
  const double rest = own + out_unit_ * std::abs(after);
  return {slope * sums.expected + rest, slope * sums.rigorous + rest};
}

Bound Bounds::of_sums(double magnitude, double excess) const {
  const double rest = underflow_ + inputs_ * (magnitude + excess);
  // Truncated e4m3 products cannot lose more than their own sum.
  const double products = std::min(magnitude, products_ * magnitude + products_cut_ * excess);
  return {expected_ * magnitude + all_cut_ * excess + rest,
          rigorous_ * magnitude + products + (all_cut_ - products_cut_) * excess + rest};
}

Bound bound(const Problem& problem, double alpha, double magnitude, double exact, double excess) {
  return Bounds(problem, alpha).at(magnitude, exact, excess);
}

}  // namespace cairn::lab::verify
