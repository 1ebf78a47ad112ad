// Kernels by the names that people give them, and what their parameters tell of what they write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emu/program/wire.hpp"

namespace cairn::emu::program {

// Those that the text means: the kernel of exactly this name; or else those that have it but for template arguments; or
// but for namespaces too; or those whose names begin with it. Blanks do not count.
std::vector<std::string> kernels_named(std::string text, const std::vector<std::string>& all);

// The type of the elements behind all pointers that are not to const, of parameters such as "float const*, float*, int".
// A vector such as float4 counts as its numbers. Nothing if there are several types, or unknown ones.
std::optional<Element> written_type(const std::vector<std::string>& parameters);

}  // namespace cairn::emu::program
