// Nsight Compute's command line, ncu: where it is, and one run of it over a program of ours.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/profile/ncu_output.hpp"

namespace cairn::lab::profile {

// Where to look. The members are what a test replaces.
struct Search {
  std::string chosen;  // $CAIRN_NCU
  std::string path;    // $PATH
  std::string root;    // before /usr/local/cuda* and /opt/nvidia/nsight-compute; "" outside of tests

  static Search here();  // from the environment
};

// $CAIRN_NCU, then PATH, then the newest of /usr/local/cuda*/bin/ncu, then of /opt/nvidia/nsight-compute/*/ncu.
// Throws Error(kLacking) that says how to name one where there is none.
std::string find_ncu(const Search& search = Search::here());

// Another program of the toolkit: on the PATH, or the newest of /usr/local/cuda*/bin.
std::optional<std::string> find_tool(const std::string& name, const Search& search = Search::here());

// "2025.3.1.0"; empty if it does not say.
std::string ncu_version(const std::string& ncu);

struct Watch {
  std::vector<std::string> metrics;
  bool cold = true;                  // caches are emptied before every pass; else left as they are
  std::vector<std::string> program;  // and its arguments
  std::function<bool()> tick;        // see run_program
};

// Watches what the program launches between profile_begin() and profile_end() on its machine. The clocks are left
// alone, as they are when we measure. Throws Error where nothing came of it: what is missing or not permitted is
// kLacking, with what to do about it.
NcuOutput run_ncu(const std::string& ncu, const Watch& watch);

}  // namespace cairn::lab::profile
