// Shared by the tests of the traced emulator: runs a kernel, and looks for a finding at the marked lines.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "emu/trace/collector.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::emu {

// The line that ends in "// <- word" in one of the files of kernels.
inline int line_of(const std::string& word) {
  for (const char* name : {"kernels.cu", "async_kernels.cu", "cuda_kernels.cu", "group_kernels.cu",
                           "order_kernels.cu", "sm90_kernels.cu", "tensor_kernels.cu", "wgmma_kernels.cu"}) {
    std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/emu/traced/" + name);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.ends_with("// <- " + word)) return number;
    }
  }
  ADD_FAILURE() << "no line is marked " << word;
  return 0;
}

struct Seen {
  Trace trace;
  Status failure;
  std::uint64_t unwritten = 0;
};

// Of `kernel`, a function that takes a name, whether to have the bug, kFloats ones to read and as many to write.
template <class Run> Seen watch(Run&& kernel, const std::string& name, bool bug, std::uint64_t seed) {
  configure({.seed = seed, .threads = 1});
  void *in = nullptr, *out = nullptr;
  EXPECT_TRUE(allocate(planted::kFloats * sizeof(float), &in).ok());
  EXPECT_TRUE(allocate(planted::kFloats * sizeof(float), &out).ok());
  std::vector<float> ones(planted::kFloats, 1.0F);
  EXPECT_TRUE(copy_in(in, ones.data(), ones.size() * sizeof(float)).ok());
  const bool adds_up = name == "sum_up" || name == "handed_on";
  EXPECT_TRUE(!adds_up || fill(out, 0, 100 * sizeof(float)).ok());
  begin_collecting({});
  kernel(name, bug, static_cast<const float*>(in), static_cast<float*>(out));
  Seen seen;
  seen.failure = take_failure();
  take_trace(seen.trace);
  seen.unwritten = count_unwritten(out, 100 * sizeof(float), nullptr);
  EXPECT_TRUE(release(in).ok());
  EXPECT_TRUE(release(out).ok());
  return seen;
}

inline std::string all(const Trace& trace) {
  std::string text;
  for (const Finding& finding : trace.findings) text += std::string(name(finding.fault)) + ": " + finding.what + "\n";
  return text;
}

struct Planted {
  const char* kernel;
  Fault fault;
  const char *place, *other;  // marked lines, in either order; null: there is none
};

// Whether a finding of the kind names the lines.
inline bool names(const Trace& trace, const Planted& planted) {
  for (const Finding& finding : trace.findings) {
    if (finding.fault != planted.fault) continue;
    const auto has = [&](const char* word) {
      return word == nullptr || finding.place.line == line_of(word) || finding.other.line == line_of(word);
    };
    if (has(planted.place) && has(planted.other)) return true;
  }
  return false;
}

inline Counters at(const Trace& trace, const std::string& word) {
  for (const LineCounters& line : trace.kernels.at(0).lines) {
    if (line.place.line == line_of(word)) return line.counters;
  }
  ADD_FAILURE() << "nothing was counted at " << word;
  return {};
}

}  // namespace cairn::emu
