#include "src/dispatch/overlap.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace cairn::dispatch {
namespace {

// No address space is larger: what is said to span more was never allocated. Sums of two such numbers fit 64 bits.
constexpr std::int64_t kAddressSpace = std::int64_t{1} << 61;

// The multiples of a step from `low` to `high`, one of which is added to a distance.
struct Term {
  std::int64_t step, low, high;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The distances between a line of x and one of y: y.first - x.first plus one multiple of each step.
class Distances {
 public:
  // A matrix contributes its lines (forwards for y, backwards for x), and its batches likewise. Equal steps are one
  // term, so that matrices with the same ld and stride have two.
  void add(std::int64_t count, std::int64_t step, bool forwards) {
    if (count < 2 || step == 0) return;
    const std::int64_t low = forwards ? 0 : 1 - count, high = forwards ? count - 1 : 0;
    for (Term& term : std::span(terms_, count_)) {
      if (term.step != step) continue;
      term.low += low, term.high += high;
      return;
    }
    terms_[count_++] = {step, low, high};
  }

  // Whether one of them is above `from` and below `to`.
  bool any_between(std::int64_t from, std::int64_t to) {
    // The largest step first: then few multiples of it come near enough for the smaller ones to reach.
    std::ranges::sort(std::span(terms_, count_), std::greater(), &Term::step);
    return search(0, from, to);
  }

 private:
  bool search(std::size_t at, std::int64_t from, std::int64_t to) {
    if (at == count_) return from < 0 && 0 < to;
    std::int64_t below = 0, above = 0;  // what the smaller steps can add
    for (const Term& smaller : std::span(terms_ + at + 1, terms_ + count_))
      below += smaller.low * smaller.step, above += smaller.high * smaller.step;
    const Term& term = terms_[at];
    const std::int64_t first = std::max(term.low, floor_div(from - above, term.step) + 1);
    const std::int64_t last = std::min(term.high, -floor_div(-(to - below), term.step) - 1);
    if (at + 1 == count_) return first <= last;
    for (std::int64_t i = first; i <= last && ++steps_ <= kMostSteps; ++i)
      if (search(at + 1, from - i * term.step, to - i * term.step)) return true;
    return false;
  }

  Term terms_[4] = {};
  std::size_t count_ = 0;
  int steps_ = 0;
};

// Lines without a gap are one long line, and so are batches of such.
void join_lines(Footprint& x) {
  if (x.lines == 1 || x.ld == x.line) x.line += (x.lines - 1) * x.ld, x.lines = 1;
  if (x.lines == 1 && x.stride <= x.line) x.line += (x.batch - 1) * x.stride, x.batch = 1;
}

}  // namespace

bool share_element(const Footprint& a, const Footprint& b) {
  if (a.bytes() > kAddressSpace || b.bytes() > kAddressSpace) return false;
  Footprint x = a, y = b;
  join_lines(x), join_lines(y);
  Distances distances;
  distances.add(y.lines, y.ld, true), distances.add(y.batch, y.stride, true);
  distances.add(x.lines, x.ld, false), distances.add(x.batch, x.stride, false);
  // A line of y at distance d from one of x overlaps it if -y.line < d < x.line.
  const auto apart = static_cast<std::int64_t>(y.first - x.first);
  return distances.any_between(-y.line - apart, x.line - apart);
}

}  // namespace cairn::dispatch
