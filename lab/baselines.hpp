// The baselines that Cairn is compared with: OpenBLAS on the CPU, cuBLAS on a GPU.
#pragma once

#include <cstdint>
#include <string>

#include "lab/contender.hpp"

namespace cairn::lab {

// How long a tuned baseline looks for its fastest algorithm. A brief search may miss it, so its choices are not kept for
// later runs; those of full searches are used by both.
enum class Search : std::uint8_t { full, brief };

// Adds every baseline there is on this machine.
void add_baselines(const std::shared_ptr<runtime::Machine>& machine, Contenders& out, Search search = Search::full);

// Why a machine of this kind has none in this build; empty if it has.
std::string no_baseline(runtime::Kind kind);

}  // namespace cairn::lab
