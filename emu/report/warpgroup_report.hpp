// The text of error reports about wgmma and setmaxnreg.
#pragma once

#include <string>

#include "emu/report/report.hpp"

namespace cairn::emu {

// Threads of the warpgroup that have returned or do not exist; that are in another call; whose arguments
// differ; whose accumulators differ.
std::string describe_missing_threads(const Block& block, const Thread& thread);
std::string describe_other_call(const Thread& thread, const char* call, const Site& site, unsigned other);
std::string describe_other_operands(const Thread& thread, unsigned other);
std::string describe_other_accumulators(const Thread& thread);
// A matrix descriptor that cannot be encoded; an operand that is not, or not all, in shared memory.
std::string describe_bad_operand(const Thread& thread, bool address, int stride, int leading);
std::string describe_operand_outside(const Site& site, bool is_a, unsigned first, unsigned end);
// A wgmma without a wgmma_fence before it, or since its accumulators were waited for; one that was never waited for;
// one whose accumulators a thread has written.
std::string describe_no_fence(const Site& site, bool fenced_before);
std::string describe_not_waited(const Site& site);
std::string describe_accumulators_written(const Site& site, unsigned thread);
// A setmaxnreg.dec to more registers than a thread has.
std::string describe_bad_registers(const Thread& thread, unsigned asked, unsigned has);

}  // namespace cairn::emu
