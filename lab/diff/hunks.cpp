#include "lab/diff/hunks.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lab/wrap.hpp"

namespace cairn::lab::diff {
namespace {

constexpr const char *kRed = "31", *kGreen = "32", *kCyan = "36", *kBold = "1", *kDim = "2";

const char* colour_of(Kind kind) {
  switch (kind) {
    case Kind::same: return "";
    case Kind::removed: return kRed;
    case Kind::added: return kGreen;
    case Kind::moved_from:
    case Kind::moved_to: break;
  }
  return kDim;
}

char sign_of(Kind kind) {
  switch (kind) {
    case Kind::same: return ' ';
    case Kind::removed: return '-';
    case Kind::added: return '+';
    case Kind::moved_from:
    case Kind::moved_to: break;
  }
  return '~';
}

std::string painted(const std::string& text, std::string_view colour, bool wanted) {
  return !wanted || colour.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

// A part of a hunk in one of the two files.
struct Part {
  int first = 0, count = 0;
};

Part part_of(const RungDiff& diff, const Hunk& hunk, bool old) {
  Part part;
  const Code& code = old ? diff.old_code : diff.now_code;
  for (std::size_t i = hunk.first; i < hunk.last; ++i) {
    const auto& index = old ? diff.changes.lines[i].old : diff.changes.lines[i].now;
    if (!index) continue;
    if (part.count++ == 0) part.first = code.lines[*index].number;
  }
  if (part.count > 0) return part;
  for (std::size_t i = 0; i < hunk.first; ++i) {  // the line before, as diff has it
    const auto& index = old ? diff.changes.lines[i].old : diff.changes.lines[i].now;
    if (index) part.first = code.lines[*index].number;
  }
  return part;
}

// As `diff -u` where the files are shown as they are. Else lines are left out, and counts would mislead.
std::string hunk_head(const RungDiff& diff, const Hunk& hunk) {
  const auto range = [&](bool old) {
    const Part part = part_of(diff, hunk, old);
    return !diff.raw || part.count == 1 ? fmt::format("{}", part.first)
                                        : fmt::format("{},{}", part.first, part.count);
  };
  return fmt::format("@@ -{} +{} @@", range(true), range(false));
}

std::string file_heads(const RungDiff& diff, bool colour) {
  return painted("--- " + diff.old.file, kBold, colour) + "\n" + painted("+++ " + diff.now.file, kBold, colour) +
         "\n";
}

// One line that stands for a block at the place which it left.
std::string moved_note(const RungDiff& diff, const Change& change) {
  const Move& move = diff.changes.moves[change.block];
  return fmt::format("[{} {} moved to line {}]", move.old_lines, move.old_lines == 1 ? "line" : "lines",
                     diff.now_code.lines[move.now_first].number);
}

bool ends_without_newline(const RungDiff& diff, const Code& code, const CodeLine& line) {
  return diff.raw && &line == &code.lines.back() && !line.key.ends_with('\n');
}

// Of a line with its sign. Rows after the first are indented further than the text.
std::vector<std::string> rows_of(std::string_view text, std::size_t width) {
  return wrapped(text, width, std::min(text.find_first_not_of("+-~ \t"), text.size()) + 4);
}

std::string unified_line(const RungDiff& diff, const Change& change, const Look& look) {
  const Code& code = change.now ? diff.now_code : diff.old_code;
  const CodeLine& line = code.lines[change.now ? *change.now : *change.old];
  const std::string signed_line = sign_of(change.kind) + line.text;
  const bool fits = look.wrap == 0 || display_width(signed_line) <= look.wrap;
  std::string text;
  for (const std::string& row : fits ? std::vector{signed_line} : rows_of(signed_line, look.wrap))
    text += painted(row, colour_of(change.kind), look.colour) + "\n";
  return ends_without_newline(diff, code, line) ? text + "\\ No newline at end of file\n" : text;
}

struct ColumnText {
  std::string text;  // with its sign
  Kind kind = Kind::same;
};

class Columns {
 public:
  explicit Columns(const Look& look)
      : colour_(look.colour), width_((std::max<std::size_t>(look.width, 40) - 3) / 2) {}

  void row(const ColumnText& left, const ColumnText& right) {
    const auto l = rows_of(left.text, width_), r = rows_of(right.text, width_);
    for (std::size_t i = 0; i < std::max(l.size(), r.size()); ++i) {
      const std::string a = i < l.size() ? l[i] : "", b = i < r.size() ? r[i] : "";
      const std::string space(width_ - std::min(width_, display_width(a)), ' ');
      std::string line =
          painted(a, colour_of(left.kind), colour_) + space + " │ " + painted(b, colour_of(right.kind), colour_);
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
    }
  }
  void head(const std::string& line) { text_ += painted(line, kCyan, colour_) + "\n"; }
  std::string take() { return std::move(text_); }

 private:
  bool colour_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::vector<Hunk> hunks(const Changes& changes, std::size_t context) {
  std::vector<Hunk> result;
  const auto& lines = changes.lines;
  // From a change over so many unchanged lines that are shown, forwards or backwards.
  const auto over = [&](std::size_t at, bool forwards) {
    for (std::size_t left = context; forwards ? at < lines.size() : at > 0;) {
      const Change& next = lines[forwards ? at : at - 1];
      if (next.kind != Kind::same) break;
      if (next.now && left-- == 0) break;
      at = forwards ? at + 1 : at - 1;
    }
    return at;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == Kind::same) continue;
    std::size_t last = i;
    while (last < lines.size() && lines[last].kind != Kind::same) ++last;
    const std::size_t first = over(i, false), end = over(last, true);
    if (!result.empty() && first <= result.back().last) {
      result.back().last = end;
    } else {
      result.push_back({first, end});
    }
    i = last - 1;
  }
  return result;
}

std::string unified_lines(const RungDiff& diff, const Look& look) {
  std::string text = file_heads(diff, look.colour);
  for (const Hunk& hunk : hunks(diff.changes, look.context)) {
    text += painted(hunk_head(diff, hunk), kCyan, look.colour) + "\n";
    for (std::size_t i = hunk.first; i < hunk.last; ++i) {
      const Change& change = diff.changes.lines[i];
      if (change.kind == Kind::moved_from) {
        const bool first = *change.old == diff.changes.moves[change.block].old_first;
        if (first) text += painted("~" + moved_note(diff, change), kDim, look.colour) + "\n";
      } else if (change.kind != Kind::same || change.now) {  // else the same line, broken where the new code is not
        text += unified_line(diff, change, look);
      }
    }
  }
  return text;
}

std::string two_columns(const RungDiff& diff, const Look& look) {
  Columns columns(look);
  columns.row({diff.old.file, Kind::same}, {diff.now.file, Kind::same});
  const auto left = [&](const Change& c) {
    return c.old ? ColumnText{sign_of(c.kind) + diff.old_code.lines[*c.old].text, c.kind} : ColumnText{};
  };
  const auto right = [&](const Change& c) {
    return c.now ? ColumnText{sign_of(c.kind) + diff.now_code.lines[*c.now].text, c.kind} : ColumnText{};
  };
  for (const Hunk& hunk : hunks(diff.changes, look.context)) {
    columns.head(hunk_head(diff, hunk));
    for (std::size_t i = hunk.first; i < hunk.last;) {
      const Change* all = diff.changes.lines.data();
      if (all[i].kind == Kind::same) {
        columns.row(left(all[i]), right(all[i]));
        ++i;
        continue;
      }
      std::vector<ColumnText> gone, come;  // of a run of changes, next to each other
      for (; i < hunk.last && all[i].kind != Kind::same; ++i) {
        if (all[i].old) gone.push_back(left(all[i]));
        if (all[i].now) come.push_back(right(all[i]));
      }
      gone.resize(std::max(gone.size(), come.size()));
      come.resize(gone.size());
      for (std::size_t row = 0; row < gone.size(); ++row) columns.row(gone[row], come[row]);
    }
  }
  return columns.take();
}

}  // namespace cairn::lab::diff
