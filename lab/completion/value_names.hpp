// What the values of flags are called: the word behind a flag in --help, by which completion knows what to offer.
#pragma once

#include <CLI/CLI.hpp>

namespace cairn::lab {

// Gives every option of every verb that takes text the name of its value: --out FILE, --type TYPE.
void name_values(CLI::App& app);

}  // namespace cairn::lab
