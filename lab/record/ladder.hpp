// The README's table: the ladder as a record measured it, and its place between two markers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/record/show.hpp"

namespace cairn::lab::record {

// Markdown, record by record: the rungs at f32 nn 4096x4096x4096 in the ladder's order with the baselines below them,
// then what moves matrices of that size. A rung is linked to docs/trail/ under `root` if its page is there. Throws
// Error for a record with no such row.
std::string ladder_markdown(const std::vector<Named>& records, const std::filesystem::path& root);

// The text with what stands between <!-- ladder:begin --> and <!-- ladder:end --> replaced, and nothing else. Throws
// Error, naming `where`, unless each of the two is there once and in this order.
std::string with_ladder(const std::string& text, const std::string& ladder, const std::string& where);

}  // namespace cairn::lab::record
