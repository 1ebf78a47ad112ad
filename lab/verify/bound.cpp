#include "lab/verify/bound.hpp"

#include <algorithm>
#include <cmath>

#include "lab/verify/limits.hpp"

namespace cairn::lab::verify {
namespace {

// Products that an instruction adds at the most.
double depth(const Problem& p) {
  if (p.in == Type::e4m3) return 32;
  return p.compute == Compute::native ? 16 : 8;  // TF32 is twice as wide
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
  // A split factor is the sum of two TF32, and below this one the last bits of the second are none.
  return p.compute == Compute::tf32 ? 0x1p-126 : p.compute == Compute::split ? 0x1p-113 : 0;
}

Bounds::Bounds(const Problem& p, double alpha) : out_unit_(limits(p.out).unit) {
  const Limits acc = limits(accumulator(p.in));
  const double n = static_cast<double>(p.k) + 2;
  const double k = static_cast<double>(std::max<std::int64_t>(p.k, 1));
  const bool tf32 = p.compute == Compute::tf32, split = p.compute == Compute::split;
  // Half the output's smallest step, and one of the accumulator's for every product that may underflow in it.
  underflow_ = 0.5 * limits(p.out).tiny + n * acc.tiny * std::max(1.0, std::abs(alpha));
  // TF32 rounds both factors to 11 bits first: 2^-11 each, and a little for the product of the two. Split factors
  // lose the last bit of what is left of them, 2^-23 each, and the product of what is left of both, 2^-22.
  inputs_ = tf32 ? 0x1.002p-10 : split ? 0x1p-21 : 0;

  // What tensor cores may multiply. They cut sums off where others round them, always towards zero, so that the
  // errors of a chain of instructions need not cancel: twice the unit for each, and the shortest is 8 products deep
  // (4 of TF32). In the worst case every product costs that.
  const bool cut_off = tf32 || p.in == Type::f16 || p.in == Type::bf16;
  const double unit = cut_off ? 2 * acc.unit : acc.unit;
  double chain = cut_off ? std::ceil(k / (tf32 ? 4 : 8)) * unit : 0, worst_chain = 0;
  // Terms are cut off 25 bits behind the point of the largest. The excess of an instruction's products costs each of
  // them that much of it, and the sum so far; but only in this instruction, so that k does not count.
  const double products = std::min(k, depth(p));
  const double last = cut_off || split ? acc.unit / 2 : 0;
  all_cut_ = (products + 1) * last * (split ? 3 : 1);
  if (p.in == Type::e4m3) {
    // Tensor cores multiply 32 deep and drop what lies 13 bits behind the point of the largest of 33 terms, and of
    // their sum. Whatever is dropped, no term grows, so that none is ever larger than the magnitude. In the worst
    // case 32 products lose that much, or all they have, and the sum loses it twice. On average each cut costs half,
    // and 34 of them a standard deviation of sqrt(34 / 12); one product may be nearly all of the magnitude from the
    // first instruction on. A chain that is not fast ends after 128 products.
    const double all = std::ceil(k / 32), instructions = p.compute == Compute::fast ? all : std::min(all, 4.0);
    const double bit = std::ldexp(1.0, 1 - kNarrowSum), step = bit * instructions;
    chain = 17 * step + 6 * std::sqrt(34 * instructions / 12) * bit;
    products_ = 32 * step;
    worst_chain = 2 * step;
    products_cut_ = products * bit;
    all_cut_ = products_cut_ + bit;
  }
  if (split) {
    // After 32 products a chain must end, and what follows is f32. Up to there are three instructions for each 8. In
    // the worst case one cuts all its nine terms off at half a unit, and their sum at two.
    const double instructions = 3 * std::ceil(std::min(k, 32.0) / 8);
    chain = instructions * 2 * acc.unit;
    worst_chain = instructions * 6.5 * acc.unit;
  }
  expected_ = 8 * std::sqrt(k) * acc.unit + chain;
  rigorous_ = n * unit / (1 - n * unit) + worst_chain;
}

Bound Bounds::at(double magnitude, double exact, double excess) const {
  const double rest = out_unit_ * std::abs(exact) + underflow_ + inputs_ * (magnitude + excess);
  // The products of e4m3 together lose no more than all they have.
  const double products = std::min(magnitude, products_ * magnitude + products_cut_ * excess);
  return {expected_ * magnitude + all_cut_ * excess + rest,
          rigorous_ * magnitude + products + (all_cut_ - products_cut_) * excess + rest};
}

Bound bound(const Problem& problem, double alpha, double magnitude, double exact, double excess) {
  return Bounds(problem, alpha).at(magnitude, exact, excess);
}

}  // namespace cairn::lab::verify
