#include "lab/diff/changes.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

#include "lab/diff/sequence.hpp"

namespace cairn::lab::diff {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr int kLeastMoved = 20;  // letters and digits of a moved block, as git wants them

// The same number for the same text.
class Numbers {
 public:
  int operator()(const std::string& text) {
    return known_.emplace(text, static_cast<int>(known_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, int> known_;
};

// Which statement of the other code a statement is the same as.
struct Partners {
  std::vector<std::size_t> old, now;
};

Partners match_statements(const Code& old, const Code& now) {
  Numbers number;
  std::vector<int> a, b;
  for (const Statement& s : old.statements) a.push_back(number(s.key));
  for (const Statement& s : now.statements) b.push_back(number(s.key));
  Partners partners{std::vector<std::size_t>(a.size(), kNone), std::vector<std::size_t>(b.size(), kNone)};
  for (const auto& [i, j] : common(a, b)) partners.old[i] = j, partners.now[j] = i;
  return partners;
}

// Parts the pairs in which a statement is on a line with one that has no partner, since that line is shown as changed.
// Whether there were any.
bool part_shared_lines(const Code& code, std::vector<std::size_t>& mine, std::vector<std::size_t>& theirs) {
  std::vector<bool> changed(code.lines.size(), false);
  for (std::size_t s = 0; s < mine.size(); ++s) {
    if (mine[s] != kNone) continue;
    for (std::size_t line = code.statements[s].first_line; line <= code.statements[s].last_line; ++line)
      changed[line] = true;
  }
  bool any = false;
  for (std::size_t s = 0; s < mine.size(); ++s) {
    if (mine[s] == kNone) continue;
    const Statement& statement = code.statements[s];
    const auto first = changed.begin() + static_cast<std::ptrdiff_t>(statement.first_line);
    const auto last = changed.begin() + static_cast<std::ptrdiff_t>(statement.last_line) + 1;
    if (std::find(first, last, true) == last) continue;
    theirs[mine[s]] = kNone, mine[s] = kNone;
    any = true;
  }
  return any;
}

class Script {
 public:
  Script(const Code& old, const Code& now) : old_(old), now_(now) {}

  std::vector<Change> run() {
    Partners partners = match_statements(old_, now_);
    while (part_shared_lines(old_, partners.old, partners.now) ||
           part_shared_lines(now_, partners.now, partners.old)) {}
    std::size_t i = 0, j = 0;
    while (i < partners.old.size() || j < partners.now.size()) {
      const std::size_t i0 = i, j0 = j;
      while (i < partners.old.size() && partners.old[i] == kNone) ++i;
      while (j < partners.now.size() && partners.now[j] == kNone) ++j;
      changed(lines_of(old_, i0, i, old_done_), lines_of(now_, j0, j, now_done_));
      if (i == partners.old.size()) continue;
      same(lines_of(old_, i, i + 1, old_done_), lines_of(now_, j, j + 1, now_done_));
      ++i, ++j;
    }
    return std::move(result_);
  }

 private:
  using Lines = std::vector<std::size_t>;

  // The lines of some statements, less those that were listed before for another statement on them.
  static Lines lines_of(const Code& code, std::size_t first, std::size_t last, std::size_t& done) {
    Lines lines;
    for (std::size_t s = first; s < last; ++s)
      for (done = std::max(done, code.statements[s].first_line); done <= code.statements[s].last_line; ++done)
        lines.push_back(done);
    return lines;
  }

  void same(const Lines& old, const Lines& now) {
    for (std::size_t i = 0; i < std::max(old.size(), now.size()); ++i) {
      result_.push_back({Kind::same, {}, {}});
      if (i < old.size()) result_.back().old = old[i];
      if (i < now.size()) result_.back().now = now[i];
    }
  }

  // A statement that changed in one of its lines: the others are the same.
  void changed(const Lines& old, const Lines& now) {
    Numbers number;
    std::vector<int> a, b;
    for (const std::size_t line : old) a.push_back(number(old_.lines[line].key));
    for (const std::size_t line : now) b.push_back(number(now_.lines[line].key));
    std::size_t i = 0, j = 0;
    const auto up_to = [&](std::size_t to_i, std::size_t to_j) {
      for (; i < to_i; ++i) result_.push_back({Kind::removed, old[i], {}});
      for (; j < to_j; ++j) result_.push_back({Kind::added, {}, now[j]});
    };
    for (const auto& [same_i, same_j] : common(a, b)) {
      up_to(same_i, same_j);
      result_.push_back({Kind::same, old[i++], now[j++]});
    }
    up_to(old.size(), now.size());
  }

  const Code& old_;
  const Code& now_;
  std::size_t old_done_ = 0, now_done_ = 0;  // lines listed
  std::vector<Change> result_;
};

// Letters and digits, without those of directives: `#pragma unroll` is everywhere.
int weight(const Code& code, std::size_t first, std::size_t count) {
  int characters = 0;
  for (std::size_t line = first; line < first + count; ++line) {
    if (code.lines[line].key.starts_with('#')) continue;
    for (const char c : code.lines[line].text) characters += std::isalnum(static_cast<unsigned char>(c)) != 0 ? 1 : 0;
  }
  return characters;
}

// Lines of one code that may belong to a moved block, and the cursor that reads their tokens one after the other.
struct MovableLines {
  const Code& code;
  std::vector<bool> open;  // removed or added, and in no moved block yet

  struct Cursor {
    std::size_t line;
    std::string_view left;  // of the line's key
  };
  Cursor begin(std::size_t line) const { return {line, code.lines[line].key}; }
  bool next(Cursor& cursor) const {
    if (++cursor.line >= open.size() || !open[cursor.line]) return false;
    cursor.left = code.lines[cursor.line].key;
    return true;
  }
};

// The longest run of whole lines from here that has the same tokens in both and every brace with its partner: a loop's
// head without its body is no block.
Move same_from(const MovableLines& a, std::size_t i, const MovableLines& b, std::size_t j) {
  Move move{i, 0, j, 0};
  MovableLines::Cursor x = a.begin(i), y = b.begin(j);
  std::ptrdiff_t open_braces = 0;
  while (true) {
    const std::size_t n = std::min(x.left.size(), y.left.size());
    if (x.left.substr(0, n) != y.left.substr(0, n)) return move;
    for (const char c : x.left.substr(0, n)) {
      open_braces += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (open_braces < 0) return move;
    }
    x.left.remove_prefix(n), y.left.remove_prefix(n);
    const bool x_ends = x.left.empty(), y_ends = y.left.empty();
    if (x_ends && y_ends && open_braces == 0) move.old_lines = x.line + 1 - i, move.now_lines = y.line + 1 - j;
    if ((x_ends && !a.next(x)) || (y_ends && !b.next(y))) return move;
  }
}

void mark_moves(const Code& old, const Code& now, Changes& changes) {
  MovableLines a{old, std::vector<bool>(old.lines.size(), false)}, b{now, std::vector<bool>(now.lines.size(), false)};
  for (const Change& change : changes.lines) {
    if (change.kind == Kind::removed) a.open[*change.old] = true;
    if (change.kind == Kind::added) b.open[*change.now] = true;
  }
  constexpr std::size_t kFree = kNone;
  std::vector<std::size_t> old_block(old.lines.size(), kFree), now_block(now.lines.size(), kFree);
  while (true) {  // the longest first
    Move best{};
    int best_weight = kLeastMoved - 1;
    for (std::size_t i = 0; i < a.open.size(); ++i) {
      for (std::size_t j = 0; a.open[i] && j < b.open.size(); ++j) {
        if (!b.open[j]) continue;
        const Move move = same_from(a, i, b, j);
        if (const int w = weight(now, j, move.now_lines); w > best_weight) best = move, best_weight = w;
      }
    }
    if (best.now_lines == 0) break;
    for (std::size_t n = 0; n < best.old_lines; ++n)
      a.open[best.old_first + n] = false, old_block[best.old_first + n] = changes.moves.size();
    for (std::size_t n = 0; n < best.now_lines; ++n)
      b.open[best.now_first + n] = false, now_block[best.now_first + n] = changes.moves.size();
    changes.moves.push_back(best);
  }
  for (Change& change : changes.lines) {
    if (change.kind == Kind::removed && old_block[*change.old] != kFree)
      change.kind = Kind::moved_from, change.block = old_block[*change.old];
    if (change.kind == Kind::added && now_block[*change.now] != kFree)
      change.kind = Kind::moved_to, change.block = now_block[*change.now];
  }
}

}  // namespace

Changes compare(const Code& old, const Code& now, bool find_moves) {
  Changes changes;
  changes.lines = Script(old, now).run();
  if (find_moves) mark_moves(old, now, changes);
  for (const Change& change : changes.lines) {
    changes.added += change.kind == Kind::added ? 1 : 0;
    changes.removed += change.kind == Kind::removed ? 1 : 0;
    changes.moved += change.kind == Kind::moved_to ? 1 : 0;
  }
  return changes;
}

}  // namespace cairn::lab::diff
