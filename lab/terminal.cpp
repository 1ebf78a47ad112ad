#include "lab/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <sys/ioctl.h>

namespace cairn::lab {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool takes_escapes(int file_descriptor) {
  const std::string_view term = environment("TERM");
  return ::isatty(file_descriptor) != 0 && !term.empty() && term != "dumb";
}

bool use_colour(int file_descriptor) { return takes_escapes(file_descriptor) && environment("NO_COLOR").empty(); }

std::size_t columns_asked() {
  const std::string_view text = environment("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc{} && end == text.data() + text.size() ? width : 0;
}

std::size_t terminal_columns(int file_descriptor) {
  constexpr std::size_t least = 20, usual = 80;  // narrower, nothing can be read
  if (::isatty(file_descriptor) == 0) return 0;
  if (const std::size_t asked = columns_asked(); asked > 0) return std::max(asked, least);
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return std::max<std::size_t>(size.ws_col, least);
}

}  // namespace cairn::lab
