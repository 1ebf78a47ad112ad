// One record or several, for `cairn report`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/record/record.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

struct Named {
  std::string name;  // the file, as it was given
  Record record;
  std::optional<Report> report = {};  // of an experiment; else the record's rows are shown
};

// Tables to read (`format` is table or md): each record as the bench shows it, or with its counters if it is a
// profile, under its name if there are several.
std::string pages(const std::vector<Named>& records, Format format, const Terminal& terminal = {});

// For csv and json: one table of all rows, with the record's name in each, and the alarms of all.
Report together(const std::vector<Named>& records);

}  // namespace cairn::lab::record
