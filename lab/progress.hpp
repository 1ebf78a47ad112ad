// A progress line on stderr, only on a terminal that knows escape sequences and only for work of more than two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
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
  // The same for work that is not counted: how much of all of it is done, 0 … 1. The time left is worked out from it.
  void show(std::string_view what, double share);

 private:
  bool due();
  void draw(const std::string& line, double share);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  bool terminal_ = false;
};

// Wipes the line that is there, if any: before anything else is written to the terminal. From any thread.
void wipe_progress();

// "8 s", "3 min 20 s", "38 min", "1 h 05 min"; never "0 s".
std::string duration(double seconds);

}  // namespace cairn::lab
