// Experiments from their records: for `cairn report`, and for `cairn lab` where there is no GPU to measure on.
#pragma once

#include <optional>
#include <string>

#include "lab/experiments/experiments.hpp"

namespace cairn::lab {

// The table, and the conclusions computed from its rows by the code that computes those of a fresh run. Of an
// experiment that has no such code: the table as the file has it, and the conclusions that were kept. Throws Error for
// an experiment that this cairn does not have, and for rows that are not those of its table.
Findings recall(const record::LabRecord& record, const std::string& where);

// The record that the project publishes for an experiment, as a report that says where and when it was measured and
// which page discusses it. Nothing where the experiment has no record, or the file is not on this machine.
std::optional<Report> published(const Experiment& experiment);

}  // namespace cairn::lab
