// `cairn run --checksum` as a table.
#pragma once

#include <string>
#include <vector>

#include "emu/program/wire.hpp"
#include "lab/table.hpp"

namespace cairn::lab::program {

// A row for each launch and each allocation that it changed; a launch that changed none has a row too.
Table checksum_table(const std::vector<emu::program::Launched>& launches);

std::string sum_text(std::uint64_t sum);  // 16 hexadecimal digits

}  // namespace cairn::lab::program
