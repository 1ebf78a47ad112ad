#include "lab/escape.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
}

// The first character. Longer forms than needed, surrogates and what lies above U+10FFFF are not UTF-8.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80u) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0u ? 4 : lead >= 0xe0u ? 3 : 2;
  if (lead < 0xc0u || lead >= 0xf8u) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text, i)) return {};
    code = code << 6u | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// Line separators, and what makes text run the other way or have no width: a name could look like another.
bool is_deceptive(std::uint32_t code) {
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0x061c || code == 0xfeff;
}

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

// Whether the character at `at`, which Markdown may read as markup, does something there.
bool is_markup(std::string_view line, std::size_t at) {
  const char next = at + 1 < line.size() ? line[at + 1] : ' ';
  switch (line[at]) {
    case '\\':
    case '`':
    case '*':
    case '|': return true;
    case '_': return !(at > 0 && is_word(line, at - 1) && is_word(line, at + 1));  // simt/01_naive
    case '~': return next == '~' || (at > 0 && line[at - 1] == '~');
    case ']': return next == '(' || next == '[' || next == ':';  // [0.98, 1.02] is no link
    case '>': return line.find_first_not_of(' ') == at;
    case '#':
    case '+':
    case '-':
    case '=': return line.find_first_not_of(' ') == at && !is_word(line, at + 1);
    default: return false;
  }
}

std::string markdown_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '<') {
      out += "&lt;";
    } else if (line[at] == '&' && (is_word(line, at + 1) || line.substr(at).starts_with("&#"))) {
      out += "&amp;";
    } else {
      if (is_markup(line, at)) out += '\\';
      out += line[at];
    }
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text, Breaks breaks) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (c.code == '\n' && breaks == Breaks::escape) {
      out += "\\n";
    } else if (is_control(c.code) && c.code != '\n' && c.code != '\t') {
      out += fmt::format("\\x{:02x}", c.code);
    } else if (is_deceptive(c.code)) {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string one_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "; ";
    } else {
      out += c;
    }
  }
  return visible(out);
}

std::string as_markdown(std::string_view text) {
  const std::string shown = visible(text);
  std::string out;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += markdown_line(rest.substr(0, end));
    if (end < rest.size()) out += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string as_html(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace cairn::lab
