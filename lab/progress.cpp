#include "lab/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/table.hpp"
#include "lab/terminal.hpp"

namespace cairn::lab {
namespace {

// There is one terminal, and the thread that ends the command on a signal wipes it too. Never destroyed, because that
// thread may outlive main().
struct Line {
  std::mutex mutex;
  bool visible = false;
};
Line& line_on_terminal() {
  static Line& line = *new Line;
  return line;
}

// A line that wraps cannot be wiped.
std::string cut(std::string text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  while (!text.empty() && display_width(text) + 1 > columns) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  }
  return text + "…";
}

}  // namespace

Progress::Progress() : terminal_(takes_escapes(STDERR_FILENO)) {}

Progress::~Progress() { wipe_progress(); }

bool Progress::due() {
  using namespace std::chrono_literals;
  if (!terminal_) return false;
  const auto now = Clock::now();
  if (now - start_ < 2s || now - drawn_ < 100ms) return false;
  drawn_ = now;
  return true;
}

void Progress::draw(const std::string& line, double share) {
  const double spent = std::chrono::duration<double>(drawn_ - start_).count();
  std::string left;
  if (share > 0 && share < 1) left = ", about " + duration(spent / share * (1 - share)) + " left";
  const std::size_t columns = terminal_columns(STDERR_FILENO) - 1;
  const std::size_t room = columns - std::min(columns, display_width(left));
  Line& terminal = line_on_terminal();
  const std::lock_guard lock(terminal.mutex);
  terminal.visible = true;
  fmt::print(stderr, "\r{}\x1b[K", cut(cut(line, room) + left, columns));
  std::fflush(stderr);
}

void Progress::show(std::string_view what, std::int64_t done, std::int64_t total) {
  if (!due()) return;
  draw(fmt::format("{} {}/{}", what, done, total), static_cast<double>(done) / static_cast<double>(total));
}

void Progress::show(std::string_view what, double share) {
  if (due()) draw(fmt::format("{:3.0f} % · {}", 100 * share, what), share);
}

void wipe_progress() {
  Line& terminal = line_on_terminal();
  const std::lock_guard lock(terminal.mutex);
  if (!terminal.visible) return;
  terminal.visible = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string duration(double seconds) {
  constexpr double kMost = 1e9;  // nobody waits longer, and it fits an integer
  const auto whole = static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 1.0, kMost)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = (whole + 59) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace cairn::lab
