// Kernels that belong to experiments and to no rung: variants of rungs that change one thing at a time. They are
// compiled by nvcc into a shared object of their own (experiments/kernels/), with cards like those of rungs.
#pragma once

#include <string>
#include <string_view>

#include "lab/contender.hpp"

namespace cairn::lab {

inline bool is_lab_kernel(std::string_view id) { return id.starts_with("lab/"); }

// Every variant of the card of this name, or of all of them, on a GPU: "lab/vectorize@3". Throws Error where this
// build or machine has none.
Contenders lab_kernels(int device, std::string_view card = "");

// The shared objects that they, and nvcc's build of the rungs, come from; "" if there is none.
std::string lab_kernels_file();
std::string rungs_file();

}  // namespace cairn::lab
