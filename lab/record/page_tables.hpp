// Tables of the project's pages, generated from records, each between two markers.
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

// The tables that `page` has markers for and the records have rows for:
//
//   ladder   the f32 rungs at nn 4096x4096x4096 in the ladder's order with the baselines below them, then the
//            transposes and the copy of that size; one table for each record that has them
//   tensor   the rungs on tensor cores at that size, each in bf16 nt if it takes that, else in tf32 or split, with
//            the strongest baseline of each type; likewise
//   brought  on the page of a rung, which the file's name says: its time, that of its parent and of the rung before
//            it; of a probe, the ceilings it measured
//   steps    every rung against the one before it: which are steps back, level or faster
//   ratios   the library against the strongest baseline over many problems: one row for each record and type
//
// The records' names are the links to them. A rung is linked to its page if that is in `folder`, the page's, or in
// trail/ or docs/trail/ there. Throws Error, naming `where`, for a page without any such marker, for a record that has
// rows for none of the page's tables, and for steps that no record has rows for.
std::vector<MarkedTable> page_tables(const std::string& page, const std::vector<Named>& records,
                                     const std::filesystem::path& folder, const std::string& where);

// The page with the text between the table's markers replaced. Throws Error, naming `where`, unless each of the two
// is there once and in this order.
std::string with_table(const std::string& page, const MarkedTable& table, const std::string& where);

}  // namespace cairn::lab::record
