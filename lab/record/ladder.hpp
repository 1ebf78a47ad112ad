// The README's tables: the ladder as records measured it, each in its place between two markers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/record/show.hpp"

namespace cairn::lab::record {

// Markdown that belongs between <!-- NAME:begin --> and <!-- NAME:end -->.
struct MarkedTable {
  std::string name, text;
};

// "ladder": the rungs at f32 nn 4096x4096x4096 in the ladder's order with the baselines below them, then what moves
// matrices of that size. "tensor": the rungs on tensor cores at that size, each in bf16 nt if it takes that, else in
// tf32 or split, with the strongest baseline of each type. A record shows up in each table that it has rows for,
// record by record; a table for which there are none is left out. A rung is linked to docs/trail/ under `root` if its
// page is there. Throws Error for a record that has rows for none.
std::vector<MarkedTable> ladder_tables(const std::vector<Named>& records, const std::filesystem::path& root);

// The text with what stands between the table's markers replaced, and nothing else. Throws Error, naming `where`,
// unless each of the two is there once and in this order.
std::string with_table(const std::string& text, const MarkedTable& table, const std::string& where);

}  // namespace cairn::lab::record
