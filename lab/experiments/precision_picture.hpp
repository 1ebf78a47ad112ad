// The errors of a record for its page: a picture, and a table of the same numbers.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/precision_findings.hpp"

namespace cairn::lab {

// Error over K, both by their logarithms: a panel for each way of drawing numbers and in it a line for each way of
// multiplying, broken for other libraries. The error is the largest of a row, or that of all of C where a record has
// no such. It stands alone, takes the reader's choice of light or dark, and is the same for the same rows.
std::string error_picture(const std::vector<Erring>& all, const std::string& machine);

// In Markdown: ways of drawing numbers and of multiplying down, K across.
std::string error_table(const std::vector<Erring>& all);

}  // namespace cairn::lab
