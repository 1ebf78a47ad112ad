// Which lane of a warp, or thread of a warpgroup, holds which element of a tile (device/fragment.hpp), as tables and
// as a picture.
#pragma once

#include <string>
#include <vector>

#include "device/fragment.hpp"
#include "lab/table.hpp"

namespace cairn::lab {

// The flags of the command; an empty one has its default: mma, f16, all operands, the first shape of the operation.
struct FragmentQuestion {
  std::string op, type, operand, shape;
};

struct FragmentAnswer {
  fragment::Kind kind;
  std::vector<fragment::Operand> operands;
};

// Throws Error(kUsage) for unknown words and for combinations that do not exist.
FragmentAnswer parse(const FragmentQuestion& question);

// For people: "lane:element" for each place of a tile. Below it, in the report's own words, how to read it.
Report fragment_report(const FragmentAnswer& answer);

// For machines: a row for each element that a lane holds.
Table fragment_list(const FragmentAnswer& answer);

// All of it as one SVG that stands alone. A colour is a group of four lanes.
std::string fragment_picture(const FragmentAnswer& answer);

}  // namespace cairn::lab
