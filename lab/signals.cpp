#include "lab/signals.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/poll.h>

#include "lab/exit.hpp"
#include "lab/leftovers.hpp"
#include "lab/progress.hpp"

namespace cairn::lab {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kMoment = std::chrono::milliseconds(600);  // from Ctrl-C to the end of the command: within a second

std::atomic<bool> catching = false, stop_asked = false;
std::atomic<std::time_t> asked_at = 0;
int from_handler = -1, to_thread = -1;

struct Pending {
  std::mutex mutex;
  std::function<void()> write;
};
// Never destroyed, because the thread that waits for signals may outlive main().
Pending& pending() {
  static Pending& one = *new Pending;
  return one;
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

// Runs in whatever thread the kernel chose, OpenBLAS's and the emulator's included.
void on_signal(int signal) {
  const int error = errno;
  const std::time_t asked = asked_at, now = std::time(nullptr);
  // The thread that should have ended the command is stuck, perhaps because nobody reads what it writes.
  if (signal == SIGINT && asked != 0 && now - asked > 1) {
    install(signal, SIG_DFL);
    ::raise(signal);
  }
  if (signal == SIGINT && asked == 0) asked_at = now;
  const auto number = static_cast<unsigned char>(signal);
  (void)!::write(to_thread, &number, 1);
  errno = error;
}

[[noreturn]] void die_by(int signal) {
  install(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

void stop_for_now() {
  wipe_progress();
  signal_children(SIGSTOP);
  install(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);  // returns when the shell continues us
  install(SIGTSTP, on_signal);
  signal_children(SIGCONT);
}

// The next signal, or 0 when `wait` is over; a negative one has no end.
int next_signal(std::chrono::milliseconds wait) {
  for (;;) {
    pollfd look = {from_handler, POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(wait.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return 0;
    unsigned char number = 0;
    if (::read(from_handler, &number, 1) == 1) return number;
  }
}

void write_pending() {
  const std::lock_guard lock(pending().mutex);
  if (!pending().write) return;
  try {
    pending().write();
  } catch (const std::exception& error) {
    fmt::print(stderr, "cairn: {}\n", error.what());
  }
  end_by_signal(SIGINT);
}

[[noreturn]] void wait_for_signals() {
  for (;;) {
    const int signal = next_signal(std::chrono::milliseconds(-1));
    if (signal == SIGTSTP) {
      stop_for_now();
      continue;
    }
    if (signal != SIGINT || !catching) end_by_signal(signal);
    stop_asked = true;
    const auto end = Clock::now() + kMoment;
    for (auto left = kMoment; left.count() > 0;
         left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now())) {
      // timeout(1) sends SIGINT to the program and to its process group: the same one twice.
      if (const int next = next_signal(left); next == SIGTERM || next == SIGHUP) end_by_signal(next);
    }
    write_pending();
    end_by_signal(SIGINT);
  }
}

}  // namespace

void handle_signals() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(kFailed, fmt::format("no pipe: {}", std::strerror(errno)));
  from_handler = ends[0], to_thread = ends[1];
  std::thread(wait_for_signals).detach();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    // nohup(1) ignores SIGHUP, and shells without job control ignore SIGTSTP. A script's `cairn … &` inherits an
    // ignored SIGINT, but whoever then sends one means it.
    if (before.sa_handler == SIG_IGN && (signal == SIGHUP || signal == SIGTSTP)) continue;
    install(signal, on_signal);
  }
}

void catch_interrupt() { catching = true; }

bool interrupted() { return stop_asked; }

void end_by_signal(int signal) {
  remove_leftovers();
  wipe_progress();
  die_by(signal);
}

Unfinished::Unfinished(std::function<void()> write) {
  const std::lock_guard lock(pending().mutex);
  pending().write = std::move(write);
}

Unfinished::~Unfinished() {
  const std::lock_guard lock(pending().mutex);
  pending().write = nullptr;
}

std::unique_lock<std::mutex> Unfinished::changing() const { return std::unique_lock(pending().mutex); }

}  // namespace cairn::lab
