// Scans a user's file after preprocessing: which kernels it has, what in it cannot be emulated, and the text without
// the host code that g++ could not compile.
#pragma once

#include <string>
#include <vector>

#include "lab/program/preprocessed.hpp"

namespace cairn::lab::trace {

using program::Spot;

struct Scanned {
  std::vector<std::string> kernels;  // the names of the __global__ functions
  std::vector<Spot> refused;         // in the order of the source
  std::vector<Spot> variables;       // __constant__ and __device__ variables
  // The text to compile. The body of main() is left out, and so are launches <<<…>>> in other host code:
  // none of it is run here. Lines keep their numbers.
  std::string text;
};

// `preprocessed` is what g++ -E -fdirectives-only writes. Files in system folders or below one of `ours`
// are not scanned.
Scanned scan(const std::string& preprocessed, const std::vector<std::string>& ours);

}  // namespace cairn::lab::trace
