// What the tables of page_tables.hpp are made of.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ladder.hpp"
#include "lab/record/cells.hpp"
#include "lab/record/show.hpp"
#include "lab/record/summary.hpp"

namespace cairn::lab::record {

inline constexpr std::int64_t kPublishedSize = 4096;  // of m, n and k

// The rungs; both builds have the same cards.
Ladder cards();

// Those on tensor cores at that size: a rung is shown on the first that it was timed on.
std::vector<Problem> tensor_problems();
// The same of every rung: f32 on CUDA cores, then those, then the transpose.
std::vector<Problem> published_problems();

// The id, as a link to the rung's page if there is one in `folder`.
std::string linked(std::string_view id, const std::filesystem::path& folder);

// "[x.json](../results/x.json) at 0123456": the record and its commit.
std::string record_link(const Named& named);

// "**NVIDIA H200**, CUDA 13.0 · `what`, cold caches · [x.json](results/x.json) at 0123456."
std::string title(const Named& named, const std::string& what);

// The tables of one record. Empty where it has no row for it.
std::string simt_table(const Named& named, const std::filesystem::path& folder);
std::string tensor_table(const Named& named, const std::filesystem::path& folder);

// The rows of one record, appended to `table`.
void add_ratios(const Named& named, Table& table);
std::vector<Column> ratio_columns();

}  // namespace cairn::lab::record
