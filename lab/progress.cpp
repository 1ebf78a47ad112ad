#include "lab/progress.hpp"

#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

volatile std::sig_atomic_t stop_asked = 0;
volatile std::time_t asked_at = 0;

// A second Ctrl-C after a second ends the program immediately. Two signals at the same time count as one: timeout(1)
// sends it to the program and to its process group.
void on_interrupt(int signal) {
  const std::time_t now = std::time(nullptr);
  if (stop_asked != 0 && now - asked_at > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (stop_asked == 0) asked_at = now;
  stop_asked = 1;
}

std::string remaining(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min {:02.0f} s", seconds / 60 - 0.5, seconds - 60 * static_cast<int>(seconds / 60));
}

}  // namespace

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

bool Progress::due() {
  using namespace std::chrono_literals;
  if (!terminal_) return false;
  const auto now = Clock::now();
  if (now - start_ < 2s || now - drawn_ < 100ms) return false;
  drawn_ = now;
  return true;
}

void Progress::draw(std::string line, double share) {
  visible_ = true;
  const double spent = std::chrono::duration<double>(drawn_ - start_).count();
  if (share > 0 && share < 1) line += ", about " + remaining(spent / share * (1 - share)) + " left";
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void Progress::show(std::string_view what, std::int64_t done, std::int64_t total) {
  if (!due()) return;
  draw(fmt::format("{} {}/{}", what, done, total), static_cast<double>(done) / static_cast<double>(total));
}

void Progress::show(std::string_view what, double share) {
  if (due()) draw(fmt::format("{:3.0f} % · {}", 100 * share, what), share);
}

void catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return stop_asked != 0; }

}  // namespace cairn::lab
