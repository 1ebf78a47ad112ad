// The record of an experiment, which `cairn lab NAME --record` writes: its table with every sample, what was concluded
// from it, and where and how it was measured. Rows have the columns of the experiment's own table, so that only the
// experiment knows what they mean (lab/experiments/recorded.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/types.hpp"
#include "lab/record/record.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

// A row by its keys. Every error names the file and the row.
class LabRow {
 public:
  LabRow(std::string place, std::map<std::string, Cell> cells) : place_(std::move(place)), cells_(std::move(cells)) {}

  std::string text(const std::string& key) const;
  double number(const std::string& key) const;
  std::optional<double> number_if(const std::string& key) const;  // nothing where the row has none
  std::int64_t integer(const std::string& key) const;             // 1 or more
  std::vector<double> times(const std::string& key) const;        // positive; may be empty
  Problem problem(const std::string& key) const;

  const std::map<std::string, Cell>& cells() const { return cells_; }
  [[noreturn]] void wrong(const std::string& key, const std::string& what) const;

 private:
  template <class T> const T& get(const std::string& key, const char* kind) const;

  std::string place_;
  std::map<std::string, Cell> cells_;
};

struct LabRecord {
  std::string experiment;  // "double-buffer"
  std::string command, created;
  std::string machine;  // in words; empty of an experiment that runs on none
  Build build;          // version, commit and compiler
  std::vector<std::string> conclusions, notes;
  std::vector<std::string> keys;  // of the rows, in the order of the file
  std::vector<LabRow> rows;
};

// True for JSON that says it is the record of an experiment, whatever else is wrong with it.
bool is_lab(const std::string& text);

// Throws Error that names `where` and the first thing wrong, as from_json() does.
LabRecord lab_from_json(const std::string& text, const std::string& where);

// `table` has every row; the rest of the record is as given.
std::string to_json(const LabRecord& record, const Table& table);

}  // namespace cairn::lab::record
