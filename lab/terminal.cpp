#include "lab/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <sys/ioctl.h>

namespace cairn::lab {

bool takes_escapes(int file_descriptor) {
  const char* term = std::getenv("TERM");
  const std::string_view name = term == nullptr ? "" : term;
  return ::isatty(file_descriptor) != 0 && !name.empty() && name != "dumb";
}

std::size_t terminal_columns(int file_descriptor) {
  winsize size{};
  return ::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace cairn::lab
