#include "lab/progress.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

std::string remaining(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min {:02.0f} s", seconds / 60 - 0.5, seconds - 60 * static_cast<int>(seconds / 60));
}

}  // namespace

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::string_view what, std::int64_t done, std::int64_t total) {
  using namespace std::chrono_literals;
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - start_ < 2s || now - drawn_ < 100ms) return;
  drawn_ = now;
  visible_ = true;
  const double spent = std::chrono::duration<double>(now - start_).count();
  std::string line = fmt::format("{} {}/{}", what, done, total);
  if (done > 0 && total > done) {
    line += ", about " + remaining(spent / static_cast<double>(done) * static_cast<double>(total - done)) + " left";
  }
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_asked = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second Ctrl-C is the usual one
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return stop_asked != 0; }

}  // namespace cairn::lab
