// A progress line on stderr, only on a terminal and only for work of more than two seconds; and Ctrl-C, as a flag
// that loops ask for.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace cairn::lab {

class Progress {
 public:
  Progress();
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to be called thousands of times a second.
  void show(std::string_view what, std::int64_t done, std::int64_t total);
  // The same for work that is not counted: how much of it is done, 0 … 1.
  void show(std::string_view what, double share);

 private:
  bool due();
  void draw(std::string line, double share);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  bool terminal_ = false;
  bool visible_ = false;
};

// From now on Ctrl-C only sets a flag; a second one, later, ends the program.
void catch_interrupt();
bool interrupted();

}  // namespace cairn::lab
