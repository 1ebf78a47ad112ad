// Reports about what a warpgroup does as one, in words.
#pragma once

#include <string>

#include "emu/report/report.hpp"

namespace cairn::emu {

// Some of its threads have returned or never were; are at another place; ask for something else, or name other sums.
std::string describe_missing_threads(const Block& block, const Thread& thread);
std::string describe_other_call(const Thread& thread, const char* call, const Site& site, unsigned other);
std::string describe_other_operands(const Thread& thread, unsigned other);
std::string describe_other_sums(const Thread& thread);
// An operand whose description an instruction cannot have; one that is not, or not all of it, in shared memory.
std::string describe_bad_operand(const Thread& thread, bool address, int stride, int lead);
std::string describe_operand_outside(const Site& site, bool is_a, unsigned first, unsigned end);
// A product without a fence before it, at all or since its sums were waited for; one that nobody waited for; one
// whose sums a thread wrote to.
std::string describe_no_fence(const Site& site, bool fenced_before);
std::string describe_not_waited(const Site& site);
std::string describe_sums_written(const Site& site, unsigned thread);
// More registers to keep than a thread can have.
std::string describe_bad_registers(const Thread& thread, unsigned asked, unsigned has);

}  // namespace cairn::emu
