// The signals that end the command: SIGINT (Ctrl-C), SIGTERM and SIGHUP.
//
// A handler passes each of them to a thread, which kills child processes, removes temporary files, wipes the progress
// line and then lets the signal end the process, so that a shell sees what ended it. Nothing else is lost: files are
// written completely or not at all. Ctrl-Z stops child processes too.
//
// Work whose results are worth keeping has a moment after Ctrl-C: catch_interrupt() makes it a flag that loops ask for,
// and they print what was done. A call that cannot be stopped, such as a product of OpenBLAS, may take longer than that;
// then Unfinished prints what was done before it.
#pragma once

#include <functional>
#include <mutex>

namespace cairn::lab {

// Once, at the start of the command.
void handle_signals();

// From now on Ctrl-C sets a flag and ends the command only a moment later.
void catch_interrupt();
bool interrupted();

// Ends this process as the signal would have, after cleaning up.
[[noreturn]] void end_by_signal(int signal);

// The results so far of work that may be in a call that cannot be stopped. One at a time.
class Unfinished {
 public:
  // `write` prints them. It runs in another thread, at most once, and the process ends right after.
  explicit Unfinished(std::function<void()> write);
  // From here on the verb prints them itself. Does not return if `write` is running.
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Held while something is changed that `write` reads.
  std::unique_lock<std::mutex> changing() const;
};

}  // namespace cairn::lab
