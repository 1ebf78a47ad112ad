#include "lab/page.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "lab/wrap.hpp"

namespace cairn::lab {
namespace {

using Sizes = std::vector<std::size_t>;

constexpr std::size_t kGap = 2;          // between columns
constexpr std::size_t kLeastText = 24;   // text is not wrapped to less
constexpr std::size_t kHeadingRows = 3;  // at most
constexpr std::size_t kFewRows = 4;      // that may stand next to each other

// What a column needs: `least` if its heading and text are wrapped, `body` if only the heading is, `full` if nothing is.
struct Need {
  std::size_t least = 0, body = 0, full = 0;
};

// The least width at which a heading has few rows.
std::size_t heading_width(const std::string& title) {
  std::size_t width = widest_piece(title);
  while (width > 0 && wrapped(title, width).size() > kHeadingRows) ++width;
  return width;
}

std::vector<Need> needs(const Page& page, bool all_are_text) {
  std::vector<Need> result;
  for (std::size_t c = 0; c < page.aligns.size(); ++c) {
    Need need;
    std::size_t piece = 0;
    for (std::size_t r = 1; r < page.lines.size(); ++r) {
      need.body = std::max(need.body, display_width(page.lines[r][c]));
      piece = std::max(piece, widest_piece(page.lines[r][c]));
    }
    const std::string& title = page.lines[0][c];
    need.full = std::max(need.body, display_width(title));
    const bool is_text = all_are_text || page.aligns[c] == Align::left;
    need.least =
        std::max(heading_width(title), is_text ? std::max(piece, std::min(need.body, kLeastText)) : need.body);
    need.body = std::max(need.body, need.least);
    result.push_back(need);
  }
  return result;
}

std::size_t total(const Sizes& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (std::max<std::size_t>(widths.size(), 1) - 1));
}

// First to those that want the least, so that as many as possible are not wrapped.
void widen(Sizes& widths, const Sizes& wanted, std::size_t room) {
  Sizes order(widths.size());
  std::iota(order.begin(), order.end(), 0);
  const auto want = [&](std::size_t i) { return wanted[i] - std::min(wanted[i], widths[i]); };
  std::ranges::stable_sort(order, {}, want);
  for (const std::size_t i : order) {
    const std::size_t more = std::min(want(i), room);
    widths[i] += more, room -= more;
  }
}

// Widths of the chosen columns; none if they do not fit.
std::optional<Sizes> share(const std::vector<Need>& all, const Sizes& chosen, std::size_t room) {
  Sizes least, body, full;
  for (const std::size_t c : chosen)
    least.push_back(all[c].least), body.push_back(all[c].body), full.push_back(all[c].full);
  if (total(full) <= room) return full;
  if (total(least) > room) return {};
  Sizes result = least;
  widen(result, body, room - total(result));
  widen(result, full, room - total(result));
  return result;
}

// The first line is a heading: its text stands at the bottom of its rows.
std::string row_text(const std::vector<std::vector<std::string>>& cells, const Page& page, const Sizes& chosen,
                     const Sizes& widths, bool heading, bool bold) {
  std::size_t height = 1;
  for (const auto& rows : cells) height = std::max(height, rows.size());
  std::string out;
  for (std::size_t h = 0; h < height; ++h) {
    std::string line;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t above = heading ? height - cells[i].size() : 0;
      const bool there = h >= above && h - above < cells[i].size();
      line += (i == 0 ? "" : std::string(kGap, ' ')) +
              padded(there ? cells[i][h - above] : "", widths[i], page.aligns[chosen[i]]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += heading && bold ? "\x1b[1m" + line + "\x1b[0m\n" : line + "\n";
  }
  return out;
}

std::string text_of(const Page& page, const Sizes& chosen, const Sizes& widths, bool bold) {
  std::string out;
  for (std::size_t r = 0; r < page.lines.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::string& cell = page.lines[r][chosen[i]];
      cells.push_back(display_width(cell) <= widths[i] ? std::vector<std::string>{cell}
                                                       : wrapped(cell, widths[i], indent_of(cell)));
    }
    out += row_text(cells, page, chosen, widths, r == 0, bold);
  }
  return out;
}

Sizes every_column(const Page& page) {
  Sizes all(page.aligns.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool is_empty(const Page& page, std::size_t c) {
  return page.lines.size() > 1 &&
         std::all_of(page.lines.begin() + 1, page.lines.end(), [&](const auto& line) { return line[c].empty(); });
}

// The columns in the order in which they are left out: the spare ones, then from the right; the first one never.
Sizes leaving_order(const Page& page, const Sizes& there) {
  Sizes order;
  const auto add = [&](std::size_t c) {
    const bool in = std::ranges::find(there, c) != there.end(), twice = std::ranges::find(order, c) != order.end();
    if (c != 0 && in && !twice) order.push_back(c);
  };
  for (const std::size_t c : page.spare) add(c);
  for (auto c = there.rbegin(); c != there.rend(); ++c) add(*c);
  return order;
}

std::string note(const Page& page, Sizes left_out, std::size_t width) {
  if (left_out.empty()) return "";
  std::ranges::sort(left_out);
  std::vector<std::string> names;
  for (const std::size_t c : left_out) names.push_back(page.names.at(c));
  const bool one = names.size() == 1;
  return fitted(fmt::format("{} column{} left out: {}; --wide shows {}\n", names.size(), one ? "" : "s",
                            fmt::join(names, ", "), one ? "it" : "them"),
                width);
}

std::string without_spare_columns(const Page& page, Sizes there, const Terminal& terminal) {
  const auto all = needs(page, false);
  Sizes left_out;
  std::optional<Sizes> widths;
  for (const std::size_t c : leaving_order(page, there)) {
    if ((widths = share(all, there, terminal.columns))) break;
    std::erase(there, c);
    left_out.push_back(c);
  }
  widths = share(all, there, terminal.columns);
  // A narrow column may fit into the room of a wide one that left after it.
  for (auto c = left_out.rbegin(); widths && c != left_out.rend(); ++c) {
    Sizes more = there;
    more.insert(std::ranges::upper_bound(more, *c), *c);
    if (auto wider = share(all, more, terminal.columns)) there = more, widths = wider;
  }
  std::erase_if(left_out, [&](std::size_t c) { return std::ranges::find(there, c) != there.end(); });
  return text_of(page, there, widths.value_or(Sizes{terminal.columns}), terminal.bold) +
         note(page, std::move(left_out), terminal.columns);
}

}  // namespace

Page turned(const Page& page) {
  Page result{std::vector<std::vector<std::string>>(page.aligns.size()),
              std::vector<Align>(page.lines.size(), Align::right)};
  result.aligns[0] = Align::left;
  for (const auto& line : page.lines) {
    for (std::size_t c = 0; c < line.size(); ++c) result.lines[c].push_back(line[c]);
  }
  std::erase_if(result.lines, [](const auto& line) {  // lines that are empty for every row
    return std::all_of(line.begin() + 1, line.end(), [](const std::string& cell) { return cell.empty(); });
  });
  return result;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

std::vector<std::size_t> widths(const Page& page) {
  std::vector<std::size_t> result;
  for (const Need& need : needs(page, false)) result.push_back(need.full);
  return result;
}

std::string as_text(const Page& page, bool bold) { return text_of(page, every_column(page), widths(page), bold); }

std::string fit(const Page& page, const Terminal& terminal) {
  const Sizes natural = widths(page);
  if (total(natural) <= terminal.columns) return text_of(page, every_column(page), natural, terminal.bold);
  Sizes there = every_column(page);
  std::erase_if(there, [&](std::size_t c) { return c != 0 && is_empty(page, c); });
  if (const auto widths = share(needs(page, false), there, terminal.columns))
    return text_of(page, there, *widths, terminal.bold);
  if (page.lines.size() - 1 <= kFewRows && page.lines.size() > 1) {
    const Page upright = turned(page);
    if (const auto widths = share(needs(upright, true), every_column(upright), terminal.columns))
      return text_of(upright, every_column(upright), *widths, terminal.bold);
  }
  return without_spare_columns(page, std::move(there), terminal);
}

std::string fit_in_blocks(const Page& page, const Terminal& terminal) {
  auto all = needs(page, true);
  if (all.empty()) return "";
  // Where even one column does not fit next to the first, both are narrowed.
  all[0].least = std::min(all[0].least, terminal.columns / 2);
  for (std::size_t c = 1; c < all.size(); ++c)
    all[c].least = std::min(all[c].least, terminal.columns - kGap - all[0].least);
  std::string out;
  for (std::size_t next = 1; next < all.size() || out.empty();) {
    Sizes block = {0};
    std::optional<Sizes> widths = share(all, block, terminal.columns);
    for (; next < all.size(); ++next) {
      block.push_back(next);
      auto wider = share(all, block, terminal.columns);
      if (!wider) {
        block.pop_back();
        break;
      }
      widths = std::move(wider);
    }
    out += (out.empty() ? "" : "\n") + text_of(page, block, widths.value_or(Sizes{terminal.columns}), terminal.bold);
  }
  return out;
}

}  // namespace cairn::lab
