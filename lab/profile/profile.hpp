// The counters of one contender on one problem. Nsight Compute runs this very command once more as its child, in a
// hidden mode that prepares the contender, runs it once unprofiled, and then as often as asked with profiling on.
// child.hpp is that child; this is the parent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/types.hpp"
#include "lab/profile/counters.hpp"
#include "lab/scalars.hpp"

namespace cairn::lab::profile {

// What the child is told to run.
struct Subject {
  std::string id;  // of the contender, in full
  int device = 0;  // the number of a GPU
  Problem problem;
  std::string build;  // "": as everyone runs it; "o0", "o3": see experiments/transpose_builds.hpp
  std::uint64_t seed = 1;
  std::int64_t runs = 1;  // watched ones
  // Others on the same problem, watched one after the other in the same session: starting the profiler takes longer
  // than a kernel does.
  std::vector<std::string> also = {};
  Scalars scalars = {};
};

// What is read meanwhile.
struct Reading {
  std::vector<std::string_view> counters;  // names; empty for all
  bool cold = true;                        // see Watch
  std::function<bool()> tick;
};

struct Profile {
  std::vector<Values> runs;          // one for each watched run
  std::vector<std::string> kernels;  // what a run launched, in order
  std::string grid, block;           // of the first kernel, "40x40x1"; empty where it was not said
  std::vector<std::string> missing;  // counters that this profiler or this GPU does not have
};

// Throws Error; see run_ncu.
Profile profile(const std::string& ncu, const Subject& subject, const Reading& reading);

// The same for the subject and each of its `also`, in order. Each must launch as many kernels as the others.
std::vector<Profile> profile_each(const std::string& ncu, const Subject& subject, const Reading& reading);

// The child's command line, this program first.
std::vector<std::string> child_command(const Subject& subject);

}  // namespace cairn::lab::profile
