#include "lab/diff/sequence.hpp"

#include <algorithm>
#include <unordered_map>

namespace cairn::lab::diff {
namespace {

using Matches = std::vector<Match>;

// Myers' greedy search: the furthest point on each diagonal for 0, 1, 2 … insertions and deletions, and the way back.
Matches longest(const std::vector<int>& a, const std::vector<int>& b) {
  const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
  const std::ptrdiff_t most = n + m;
  std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);  // x, by diagonal x - y
  const auto at = [&](std::vector<std::ptrdiff_t> & v, std::ptrdiff_t offset, std::ptrdiff_t diagonal) -> auto& {
    return v[static_cast<std::size_t>(diagonal + offset)];
  };
  const auto comes_from_above = [&](std::vector<std::ptrdiff_t>& v, std::ptrdiff_t offset, std::ptrdiff_t d,
                                    std::ptrdiff_t k) {
    return k == -d || (k != d && at(v, offset, k - 1) < at(v, offset, k + 1));
  };
  std::vector<std::vector<std::ptrdiff_t>> before;  // `furthest` from -d - 1 to d + 1, as it was when d began
  std::ptrdiff_t edits = 0;
  for (bool arrived = false; !arrived; ++edits) {
    const auto middle = furthest.begin() + most + 1;
    before.emplace_back(middle - edits - 1, middle + edits + 2);
    for (std::ptrdiff_t k = -edits; k <= edits && !arrived; k += 2) {
      const bool down = comes_from_above(furthest, most + 1, edits, k);
      std::ptrdiff_t x = down ? at(furthest, most + 1, k + 1) : at(furthest, most + 1, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      at(furthest, most + 1, k) = x;
      arrived = x >= n && x - k >= m;
    }
  }

  Matches found;
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = edits - 1; d >= 0; --d) {
    auto& v = before[static_cast<std::size_t>(d)];
    const std::ptrdiff_t k = x - y;
    const std::ptrdiff_t from = comes_from_above(v, d + 1, d, k) ? k + 1 : k - 1;
    const std::ptrdiff_t before_x = d == 0 ? 0 : at(v, d + 1, from), before_y = d == 0 ? 0 : before_x - from;
    for (; x > before_x && y > before_y; --x, --y)
      found.emplace_back(static_cast<std::size_t>(x - 1), static_cast<std::size_t>(y - 1));
    x = before_x, y = before_y;
  }
  std::ranges::reverse(found);
  return found;
}

struct Range {
  std::size_t first, last;
  bool empty() const { return first == last; }
};

class Matcher {
 public:
  Matcher(std::span<const int> a, std::span<const int> b) : a_(a), b_(b) {}

  Matches run() {
    match({0, a_.size()}, {0, b_.size()});
    return std::move(found_);
  }

 private:
  void match(Range a, Range b) {
    for (; !a.empty() && !b.empty() && a_[a.first] == b_[b.first]; ++a.first, ++b.first)
      found_.emplace_back(a.first, b.first);
    std::size_t same_end = 0;
    for (; !a.empty() && !b.empty() && a_[a.last - 1] == b_[b.last - 1]; --a.last, --b.last) ++same_end;
    if (!a.empty() && !b.empty()) {
      const Matches fixed = anchors(a, b);
      if (fixed.empty()) {
        match_repeated(a, b);
      } else {
        for (const auto& [i, j] : fixed) {
          match({a.first, i}, {b.first, j});
          found_.emplace_back(i, j);
          a.first = i + 1, b.first = j + 1;
        }
        match(a, b);
      }
    }
    for (std::size_t i = 0; i < same_end; ++i) found_.emplace_back(a.last + i, b.last + i);
  }

  // Elements that occur once in each range, thinned to the longest list that has the same order in both.
  Matches anchors(Range a, Range b) const {
    struct Seen {
      int in_a = 0, in_b = 0;
      std::size_t where = 0;
    };
    std::unordered_map<int, Seen> seen;
    for (std::size_t i = a.first; i < a.last; ++i) ++seen[a_[i]].in_a;
    for (std::size_t j = b.first; j < b.last; ++j) ++seen[b_[j]].in_b, seen[b_[j]].where = j;

    struct Card {
      Match match;
      std::ptrdiff_t below;  // the top of the pile to the left when this one was laid, or -1
    };
    std::vector<Card> cards;
    std::vector<std::ptrdiff_t> tops;  // of the piles of patience sorting, as indices of `cards`
    for (std::size_t i = a.first; i < a.last; ++i) {
      const Seen& one = seen[a_[i]];
      if (one.in_a != 1 || one.in_b != 1) continue;
      const auto pile = std::ranges::lower_bound(
          tops, one.where, {}, [&](std::ptrdiff_t top) { return cards[static_cast<std::size_t>(top)].match.second; });
      const std::ptrdiff_t below = pile == tops.begin() ? -1 : *(pile - 1);
      const auto card = static_cast<std::ptrdiff_t>(cards.size());
      pile == tops.end() ? tops.push_back(card) : void(*pile = card);
      cards.push_back({{i, one.where}, below});
    }
    Matches chosen;
    for (std::ptrdiff_t card = tops.empty() ? -1 : tops.back(); card >= 0;) {
      chosen.push_back(cards[static_cast<std::size_t>(card)].match);
      card = cards[static_cast<std::size_t>(card)].below;
    }
    std::ranges::reverse(chosen);
    return chosen;
  }

  // Elements that the other range does not have cannot match; without them the search is short.
  void match_repeated(Range a, Range b) {
    std::unordered_map<int, int> in;
    for (std::size_t i = a.first; i < a.last; ++i) in[a_[i]] |= 1;
    for (std::size_t j = b.first; j < b.last; ++j) in[b_[j]] |= 2;
    const auto shared = [&](std::span<const int> all, Range range) {
      std::pair<std::vector<int>, std::vector<std::size_t>> kept;  // the elements, and where they are
      for (std::size_t i = range.first; i < range.last; ++i)
        if (in[all[i]] == 3) kept.first.push_back(all[i]), kept.second.push_back(i);
      return kept;
    };
    const auto [left, left_at] = shared(a_, a);
    const auto [right, right_at] = shared(b_, b);
    for (const auto& [i, j] : longest(left, right)) found_.emplace_back(left_at[i], right_at[j]);
  }

  std::span<const int> a_, b_;
  Matches found_;
};

}  // namespace

std::vector<Match> common(std::span<const int> old, std::span<const int> now) { return Matcher(old, now).run(); }

}  // namespace cairn::lab::diff
