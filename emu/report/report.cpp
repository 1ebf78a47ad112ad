#include "emu/report/report.hpp"

#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "emu/machine/block.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/report/sm90_report.hpp"

namespace cairn::emu {

namespace {

std::string count_of(const Block& block, unsigned barrier) {
  return (barrier == 0 ? " (" : ", barrier " + std::to_string(barrier) + " (") +
         std::to_string(block.arrived(barrier)) + " of " + std::to_string(block.expected(barrier)) + " have arrived)";
}

std::string arrived_of(const Block& block, const Thread& thread) {
  const unsigned arrived = block.groups().arrived_with(thread);
  if (arrived < kWarpgroup) return " (" + std::to_string(arrived) + " of 128 have arrived)";
  return " (all have arrived, and there are " + std::to_string(block.groups().registers_for(thread)) +
         " registers for each)";
}

std::string describe_grid_wait(const Block& block) {
  const std::size_t arrived = block.arrived_at_grid(), all = block.threads().size();
  return " (" + std::to_string(arrived) + " of the block's " + std::to_string(all) + " threads have arrived)";
}

// What a thread does, in words that are the same for all who do the same.
std::string doing(const Block& block, const Thread& thread) {
  std::string at = thread.call == nullptr ? "" : std::string(" ") + thread.call;
  if (thread.call != nullptr && thread.site.line() > 0) at += ", " + describe(thread.site);
  switch (thread.state) {
    case State::ready: return "ready";
    case State::at_barrier: return "waiting at" + at + count_of(block, thread.barrier);
    case State::at_warp: return "waiting in" + at + ", mask " + hex(thread.mask);
    case State::at_warpgroup: return "waiting in" + at + arrived_of(block, thread);
    case State::at_mbarrier: return "waiting at" + at + describe_mbarrier_wait(block, thread);
    case State::at_grid: return "waiting at" + at + describe_grid_wait(block);
    case State::at_cluster: return "waiting at" + at + describe_cluster_wait(block);
    case State::spinning: return "polling with" + at;
    case State::exited: return "returned";
  }
  return "";
}

std::string list_threads(const Block& block) {
  std::vector<std::pair<std::string, std::vector<unsigned>>> groups;  // in the order of their first thread
  std::map<std::string, std::size_t, std::less<>> found;
  for (const Thread& thread : block.threads()) {
    const std::string text = doing(block, thread);
    const auto [place, fresh] = found.try_emplace(text, groups.size());
    if (fresh) groups.push_back({text, {}});
    groups[place->second].second.push_back(thread.linear);
  }
  std::string text;
  for (const auto& [what, who] : groups)
    text += std::string("\n  ") + (who.size() == 1 ? "thread " : "threads ") + ranges(who) + ": " + what;
  return text;
}

}  // namespace

std::string hex(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

// With an end, for masks full of holes.
std::string ranges(const std::vector<unsigned>& sorted) {
  constexpr std::size_t kMost = 12;
  std::string text;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (parts++ == kMost) return text + ", …";
    if (!text.empty()) text += ", ";
    text += std::to_string(sorted[i]);
    if (end - i > 1) text += "-" + std::to_string(sorted[end - 1]);
    i = end;
  }
  return text;
}

std::string describe(uint3 v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

std::string describe(const Site& site) { return std::string(site.file_name()) + ":" + std::to_string(site.line()); }

std::string describe_place(const Block& block) {
  return "kernel " + kernel_facts(block.launch().kernel).name + ", block " + describe(block.index()) + " of " +
         describe(uint3(block.launch().grid)) + ": ";
}

std::string describe_deadlock(const Block& block) {
  std::string text =
      "deadlock, none of its " + std::to_string(block.threads().size()) + " threads can go on" + list_threads(block);
  for (unsigned rank = 0; rank < block.cluster().size(); ++rank) {
    const Block* other = rank == block.rank() ? nullptr : block.cluster().sleeping_block(rank);
    if (other != nullptr) text += "\nblock " + describe(other->index()) + " of its cluster" + list_threads(*other);
  }
  return text;
}

std::string describe_grid_deadlock(const Block& block, uint3 ended) {
  return "deadlock, it waits for all blocks of the grid at grid.sync, and block " + describe(ended) +
         " has returned" + list_threads(block);
}

std::string describe_not_cooperative(const Thread& thread) {
  return std::string(thread.call) + " at " + describe(thread.site) + " in thread " + std::to_string(thread.linear) +
         ": the launch is not cooperative, so its blocks need not all run at once; launch with "
         "cudaLaunchCooperativeKernel";
}

std::string describe_stall(const Block& block) {
  return "stuck, no thread of any running block has changed anything for a long while" + list_threads(block);
}

std::string describe_lane_not_in_mask(const Thread& thread) {
  return "lane " + std::to_string(thread.lane()) + " of warp " + std::to_string(thread.linear / kWarp) + " calls " +
         thread.call + " at " + describe(thread.site) + " with mask " + hex(thread.mask) +
         ", which does not name the lane itself";
}

std::string describe_mismatch(const Thread& thread, const Thread& other) {
  return "warp " + std::to_string(thread.linear / kWarp) + ": lane " + std::to_string(thread.lane()) + " calls " +
         thread.call + " at " + describe(thread.site) + " with mask " + hex(thread.mask) + ", but lane " +
         std::to_string(other.lane()) + " waits for it in " + other.call + " at " + describe(other.site) +
         " with mask " + hex(other.mask);
}

std::string describe_missing_lanes(const Block& block, const Thread& thread) {
  std::vector<unsigned> missing;
  missing.reserve(kWarp);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const std::size_t i = thread.linear / kWarp * kWarp + lane;
    if (i >= block.threads().size() || block.threads()[i].state == State::exited) missing.push_back(lane);
  }
  return "warp " + std::to_string(thread.linear / kWarp) + ": " + thread.call + " at " + describe(thread.site) +
         " is for all 32 lanes, and " + (missing.size() == 1 ? "lane " : "lanes ") + ranges(missing) +
         (missing.size() == 1 ? " is" : " are") + " not there";
}

std::string describe_bad_row(const Thread& thread, bool misaligned) {
  return std::string(thread.call) + " at " + describe(thread.site) + " in thread " + std::to_string(thread.linear) +
         ": the address of a row " + (misaligned ? "is no multiple of 16" : "is not in shared memory");
}

std::string describe_other_tile(const Thread& thread, const Thread& other) {
  return "warp " + std::to_string(thread.linear / kWarp) + ": " + thread.call + " at " + describe(thread.site) +
         ": lanes " + std::to_string(other.lane()) + " and " + std::to_string(thread.lane()) +
         " give different addresses or leading dimensions";
}

std::string describe_bad_tile(const Thread& thread, unsigned ld, unsigned element_bytes) {
  std::string what = "the address of a tile is no multiple of 32";
  if (ld * element_bytes % 16 != 0) {
    what = "the leading dimension " + std::to_string(ld) + " is no multiple of 16 bytes";
  }
  return std::string(thread.call) + " at " + describe(thread.site) + " in thread " + std::to_string(thread.linear) +
         ": " + what;
}

std::string describe_bad_barrier(const Thread& thread, int barrier, int threads) {
  return std::string(thread.call) + " at " + describe(thread.site) + " for barrier " + std::to_string(barrier) +
         " and " + std::to_string(threads) +
         " threads; barriers are 0 to 15, and the count a multiple of 32 up to 1024";
}

std::string describe_other_count(const Thread& thread, unsigned barrier, unsigned threads, unsigned others) {
  return std::string(thread.call) + " at " + describe(thread.site) + " uses barrier " + std::to_string(barrier) +
         " for " + std::to_string(threads) + " threads, while others wait at it for " + std::to_string(others);
}

std::string describe_bad_copy(const Thread& thread, bool bad_shared, bool bad_global, int bytes, int valid) {
  const std::string size = std::to_string(bytes);
  std::string what = size + " bytes, of which " + std::to_string(valid) + " are to be read";
  if (bad_shared || bad_global) {
    what = size + (bad_shared ? " bytes to a shared" : " bytes from a global") + " address that is no multiple of " +
           size;
  }
  return std::string(thread.call) + " at " + describe(thread.site) + " in thread " + std::to_string(thread.linear) +
         ": " + what;
}

std::string describe_trap(const Thread& thread) {
  return "__trap at " + describe(thread.site) + " in thread " + std::to_string(thread.linear);
}

constexpr const char* kAssertion = "assertion `";

std::string describe_assertion(const Thread& thread, const char* condition) {
  return kAssertion + std::string(condition) + "' failed at " + describe(thread.site) + " in thread " +
         std::to_string(thread.linear);
}

constexpr const char *kIllegalAccess = "an illegal memory access", *kFullStack = "its stack is full";

std::string describe_bad_access(const Thread& thread, std::uintptr_t address, bool of_stack) {
  std::ostringstream text;
  text << "thread " << thread.linear << ": ";
  if (of_stack) {
    text << kFullStack << ", which has " << StackPool::kBytes / 1024
         << " KB here: recursion without end, or large local arrays";
  } else {
    text << kIllegalAccess << ", address 0x" << std::hex << address
         << ", which is nobody's; cairn run --check says which array was left";
  }
  return text.str();
}

std::string describe_division_by_zero(const Thread& thread) {
  return "thread " + std::to_string(thread.linear) +
         ": an integer is divided by zero; a GPU goes on, with a number that means nothing";
}

bool ends_a_launch(cudaError_t error) {
  return error == cudaErrorLaunchFailure || error == cudaErrorAssert || error == cudaErrorIllegalAddress ||
         error == cudaErrorHardwareStackError;
}

cudaError_t error_of(const std::string& report) {
  const auto says = [&](const char* words) { return report.find(words) != std::string::npos; };
  return says(kAssertion)       ? cudaErrorAssert
         : says(kIllegalAccess) ? cudaErrorIllegalAddress
         : says(kFullStack)     ? cudaErrorHardwareStackError
                                : cudaErrorLaunchFailure;
}

}  // namespace cairn::emu
