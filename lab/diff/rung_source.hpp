// The source of a rung and the rung that it was made from, which its head names: "// From    simt/09_register_tile".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/diff/normalize.hpp"

namespace cairn::lab::diff {

struct RungSource {
  OwnNames names;
  std::string file;  // "kernels/simt/12_a_transposed_vec4.cu"
  std::string text;
  std::string parent;       // as the head has it: an id, "-" for the first of a trail, empty where it names none
  std::string folder = {};  // "kernels/hopper/59_summit/": headers of the rung alone, which are not read
  bool first_of_trail() const { return parent == "-"; }
};

// Of every rung, in the order of the ladder. Throws where this build has no ladder.
std::vector<OwnNames> rungs_of_this_build();

// The rung with this id, or the only one whose id begins so. Throws if there is none or if there are several.
const OwnNames& find_rung(const std::string& wanted, const std::vector<OwnNames>& all);

// The rung that a source was made from. Throws where the head names none, or one that is not in the ladder.
const OwnNames& parent_of(const RungSource& rung, const std::vector<OwnNames>& all);

// What the head says after "From"; the head is the comment at the beginning of the file.
std::string parent_in_head(std::string_view text);

// Looks for kernels/ in these folders, in order. Throws if none of them has the file.
RungSource read_rung(const OwnNames& names, const std::vector<std::string>& roots);

}  // namespace cairn::lab::diff
