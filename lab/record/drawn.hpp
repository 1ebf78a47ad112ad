// What a record of a drawn suite keeps and says. Two rows a shape, the library's and the strongest baseline's, are what
// its summary needs, and leave room for hundreds of shapes.
#pragma once

#include <string>
#include <vector>

#include "lab/record/record.hpp"

namespace cairn::lab::record {

// Of the rows of one problem: those of contenders, and of baselines the strongest; the first that refused where none was
// timed. A baseline that failed stays, since a failure must show.
std::vector<Row> with_strongest_baseline(std::vector<Row> rows);

// "drawn:general, seed 7, 60 shapes"; empty for a record of another suite.
std::string drawn_text(const Record& record);

}  // namespace cairn::lab::record
