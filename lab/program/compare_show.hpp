// What `cairn run --compare` found, as tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "emu/trace.hpp"
#include "lab/program/compare.hpp"
#include "lab/table.hpp"

namespace cairn::lab::program {

// A row for each pair of launches and each allocation that was compared. For people (`brief`) a program that compares
// in a loop has the rows that do not agree first, and at most twenty in all.
Table comparison_table(const Judged& judged, bool brief);

// Who was compared with whom, in which type and with which tolerance.
std::string heading(const Judged& judged);

// What does not agree: a sentence for the worst pair of launches, and how many there are.
std::vector<std::string> complaints(const Judged& judged);

// What a reader should know besides: what was written and not compared, and what was run again.
std::vector<std::string> remarks(const Judged& judged);

// The counters of two kernels, each for one of its launches, and the second's as a part of the first's.
Table both_table(const emu::KernelTrace& first, const emu::KernelTrace& second);

}  // namespace cairn::lab::program
