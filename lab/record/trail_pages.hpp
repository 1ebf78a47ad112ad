// What the pages of the trail show from records: a rung's time next to that of the rung it was made from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ladder.hpp"
#include "lab/record/show.hpp"

namespace cairn::lab::record {

// "simt_14_bank_pad": the page of a rung, without its folder and ".md".
std::string page_name(std::string_view id);

// "level" within 1 %, more than two runs of one command differ by (kLeastError); else "faster" or "a step back".
std::string_view verdict(double speed);

// The rung, its parent and the rung before it, each with its time and its speed; of a probe the ceilings that it
// measured in each record. The rung is shown on the first published problem it was timed on, and compared on that
// problem in that record; a parent that does not take it, on the same matrices in another arithmetic, and without a
// verdict. `folder` is the page's, docs/trail: from there the heads of kernels/ are read, which name the parents. A
// sentence where no record has the rung, as with a new one.
std::string brought(const Rung& rung, const std::vector<Named>& records, const std::filesystem::path& folder);

// A list of the rungs that are a step back from the one before them in their trail, or level with it. Empty where no
// record has two rungs on one problem.
std::string steps(const std::vector<Named>& records, const std::filesystem::path& folder);

}  // namespace cairn::lab::record
