// Two kernels of a program that should compute the same: what each launch of the second writes is compared with what the
// last launch of the first wrote, on the same data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emu/machine/launch.hpp"
#include "emu/program/difference.hpp"
#include "emu/program/snapshot.hpp"
#include "emu/program/wire.hpp"

namespace cairn::emu::program {

class KernelPair {
 public:
  // By names as kernels_named() takes them. Detectors must be on: by them it is known what a launch accessed.
  KernelPair(const std::string& first, const std::string& second, std::optional<Element> type);

  // Runs it, as run_grid() does, and remembers or compares what it wrote. `number` is the launch's in the program.
  Status run(const Launch& launch, std::uint64_t number);

  Comparison take() const;

 private:
  // What is known of a launch, or of the first kernel's last one.
  struct Run {
    std::uint64_t number = 0;
    std::vector<Contents> found;  // as it found them: the allocations that it accessed
    std::vector<Output> outputs;
  };

  std::optional<Element> type() const;  // asked for, or known
  static Run look(const Snapshot& before, std::uint64_t number);
  bool found_other_data(const Run& second) const;
  Status run_again(const Launch& launch, const Snapshot& before, Run& second) const;
  void compare(const Launch& launch, const Snapshot& before, const Status& status, Run second);
  void match(const Run& second, Pair& pair) const;
  void add_difference(const Output& first, const Output& second, Pair& pair) const;

  std::vector<std::string> first_, second_;  // kernels
  std::optional<Element> asked_;
  std::vector<std::string> parameters_;  // of those that were launched
  Comparison seen_;
  std::optional<Run> last_;  // of the first kernel
};

}  // namespace cairn::emu::program
