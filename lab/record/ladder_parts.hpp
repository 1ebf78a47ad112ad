// What the tables of the README have in common.
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

// The cards of the ladder; both builds have the same.
Ladder cards();

// The id, as a link to its page of the trail if that is under `root`.
std::string linked(std::string_view id, const std::filesystem::path& root);

// "**NVIDIA H200**, CUDA 13.0 · `what`, cold caches · [x.json](x.json), commit 012345678901."
std::string title(const Named& named, const std::string& what);

// The table of the simt trail, f32, and of what moves matrices; and that of the tensor trail. Empty where the record
// has no row for it.
std::string simt_table(const Named& named, const std::filesystem::path& root);
std::string tensor_table(const Named& named, const std::filesystem::path& root);

}  // namespace cairn::lab::record
