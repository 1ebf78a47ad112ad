// For a program with kernels of its own, compiled by cairn_add_emulated_kernel(… TRACED): what they did to memory.
//
//   cairn::emu::TraceSession session;                    // from here on every access of a kernel is seen
//   my_function_that_launches();
//   std::fputs(session.report().c_str(), stdout);   // counters by kernel, and what the detectors found
//   return session.clean() ? 0 : 1;
#pragma once

#include <cstdint>
#include <string>

#include "emu/trace.hpp"

namespace cairn::emu {

class TraceSession {
 public:
  // Forgets what was seen before. The seed shuffles the order of threads.
  explicit TraceSession(std::uint64_t seed = 1, const TraceSettings& settings = {});

  // What was seen since; places in the source are looked up here, which takes a moment.
  const Trace& trace();

  // Nothing found, and no launch failed.
  bool clean();

  // Counters by kernel, the worst lines of each, and a line for each finding.
  std::string report();

 private:
  void look();
  bool looked_ = false;
  std::string failure_;
  Trace trace_;
};

}  // namespace cairn::emu
