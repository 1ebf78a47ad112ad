// Man pages, made of the texts of --help.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cairn::lab {

// cairn(1) of the command itself, cairn-VERB(1) of a verb, in roff and plain ASCII.
std::string man_page(const CLI::App& app);

}  // namespace cairn::lab
