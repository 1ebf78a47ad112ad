#include "lab/wrap.hpp"

#include <algorithm>

#include "lab/table.hpp"

namespace cairn::lab {
namespace {

struct Character {
  std::string bytes;
  std::size_t width;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> result;
  for (std::size_t at = 0, column = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) ++end;
    std::string bytes(text.substr(at, end - at));
    if (bytes == "\t") {
      for (std::size_t spaces = 8 - column % 8; spaces > 0; --spaces, ++column) result.push_back({" ", 1});
    } else if (bytes != "\r") {
      result.push_back({bytes, display_width(bytes)});
      column += result.back().width;
    }
    at = end;
  }
  return result;
}

using Characters = std::vector<Character>;

bool is_space(const Characters& all, std::size_t at) { return all[at].bytes == " "; }

bool ends_scope(const Characters& all, std::size_t end) {
  return end >= 2 && all[end - 1].bytes == ":" && all[end - 2].bytes == ":";
}

// Where the row from `at` ends, of which the characters before `most` fit: behind a word, else behind "::", else there.
std::size_t row_end(const Characters& all, std::size_t at, std::size_t most) {
  if (most == all.size()) return most;
  std::size_t word = at;
  while (word < most && is_space(all, word)) ++word;  // an indented row is not all spaces
  for (std::size_t end = most; end > word; --end)
    if (is_space(all, end)) return end;
  for (std::size_t end = most; end > word; --end)
    if (ends_scope(all, end)) return end;
  return std::max(most, at + 1);
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t hang) {
  const Characters all = characters_of(text);
  const std::string indent(std::min(hang, width / 2), ' ');
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < all.size() || rows.empty();) {
    std::size_t used = rows.empty() ? 0 : indent.size(), most = at;
    while (most < all.size() && used + all[most].width <= width) used += all[most++].width;
    const std::size_t end = row_end(all, at, most);
    std::string row = rows.empty() ? "" : indent;
    for (; at < end; ++at) row += all[at].bytes;
    row.erase(row.find_last_not_of(' ') + 1);
    rows.push_back(std::move(row));
    while (at < all.size() && is_space(all, at)) ++at;
  }
  return rows;
}

std::size_t widest_piece(std::string_view text) {
  const Characters all = characters_of(text);
  std::size_t widest = 0, width = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    width = is_space(all, at) || (at > 0 && ends_scope(all, at)) ? 0 : width;
    if (!is_space(all, at)) width += all[at].width;
    widest = std::max(widest, width);
  }
  return widest;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string fitted(std::string_view text, std::size_t width, std::size_t hang) {
  if (width == 0) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t indent = indent_of(line);
    const bool command = indent > 0 && line.substr(indent).starts_with("cairn ");
    if (display_width(line) <= width) {
      out += line;
    } else {
      const auto rows = wrapped(line, command ? width - 2 : width, indent + hang);
      for (std::size_t i = 0; i < rows.size(); ++i) out += (i == 0 ? "" : command ? " \\\n" : "\n") + rows[i];
    }
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace cairn::lab
