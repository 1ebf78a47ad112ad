#include "emu/report/warpgroup_report.hpp"

#include <algorithm>
#include <vector>

#include "emu/machine/block.hpp"

namespace cairn::emu {

namespace {

std::string place(const Thread& thread) { return std::string(thread.call) + " at " + describe(thread.site); }
std::string group_of(const Thread& thread) {
  return "warpgroup " + std::to_string(thread.linear / kWarpgroup) + ": ";
}

}  // namespace

std::string describe_missing_threads(const Block& block, const Thread& thread) {
  std::vector<unsigned> missing;
  missing.reserve(kWarpgroup);
  const unsigned first = thread.linear / kWarpgroup * kWarpgroup;
  for (unsigned i = first; i < first + kWarpgroup; ++i) {
    if (i >= block.threads().size() || block.threads()[i].state == State::exited) missing.push_back(i);
  }
  const bool one = missing.size() == 1;
  return group_of(thread) + place(thread) + " is for all 128 threads, and " + (one ? "thread " : "threads ") +
         ranges(missing) + (one ? " is" : " are") + " not there";
}

std::string describe_other_call(const Thread& thread, const char* call, const Site& site, unsigned other) {
  return group_of(thread) + "thread " + std::to_string(thread.linear) + " calls " + place(thread) + ", but thread " +
         std::to_string(other) + " called " + call + " at " + describe(site) + " in its place";
}

std::string describe_other_operands(const Thread& thread, unsigned other) {
  return group_of(thread) + place(thread) + ": threads " + std::to_string(other) + " and " +
         std::to_string(thread.linear) + " pass different arguments";
}

std::string describe_other_accumulators(const Thread& thread) {
  return group_of(thread) + place(thread) + ": thread " + std::to_string(thread.linear) +
         " passes other accumulators than the threads before it, or a part of accumulators that are in flight";
}

std::string describe_bad_operand(const Thread& thread, bool address, int stride, int leading) {
  return place(thread) + " in thread " + std::to_string(thread.linear) + ": " +
         (address
              ? std::string("the address")
              : "the stride offset " + std::to_string(stride) + " or the leading offset " + std::to_string(leading)) +
         " is no multiple of 16";
}

std::string describe_operand_outside(const Site& site, bool is_a, unsigned first, unsigned end) {
  return "wgmma at " + describe(site) + " reads " + (is_a ? "A" : "B") + " from bytes " + std::to_string(first) +
         " to " + std::to_string(end - 1) +
         " of shared memory, and the kernel has no array there that holds them all";
}

std::string describe_no_fence(const Site& site, bool fenced_before) {
  return "wgmma at " + describe(site) +
         (fenced_before ? ": its accumulators were waited for, and there was no wgmma_fence since"
                        : ": there was no wgmma_fence before it");
}

std::string describe_not_waited(const Site& site) {
  return "the block ends while wgmma at " + describe(site) + " is in flight: no wgmma_wait has waited for it";
}

std::string describe_accumulators_written(const Site& site, unsigned thread) {
  return "thread " + std::to_string(thread) + " has written to the accumulators of wgmma at " + describe(site) +
         " before a wgmma_wait";
}

std::string describe_bad_registers(const Thread& thread, unsigned asked, unsigned has) {
  return group_of(thread) + place(thread) + " asks for " + std::to_string(asked) +
         " registers, and a thread has at most " + std::to_string(has);
}

}  // namespace cairn::emu
