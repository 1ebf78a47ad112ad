// Drawn suites: shapes by lot, the same for a class, a seed and a count on every machine. `cairn bench --suite
// drawn:general --seed 7` measures shapes that nobody has fitted a constant to.
//
//   general   m, n and k 64 … 8192
//   thin      one of m and n 1 … 128, any integer; the other and k 1024 … 16384
//   deep      m and n 64 … 1024; k from 16 times the larger to 131072
//   wide      one of m and n 64 … 1024, the other from 16 times that to 16384; k 64 … 8192
//   odd       m, n and k 1 … 4096, any integers; each leading dimension 0 … 8 above the least
//   batched   m, n and k 4 … 256, any integers; a batch of 16 … 8192
//
// Sizes are log-uniform, and multiples of 8 where no integer is said to do. One of the layouts nn, nt, tn and tt is
// drawn with each shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/random.hpp"
#include "lab/suites.hpp"

namespace cairn::lab {

inline constexpr std::string_view kDrawnClasses[] = {"general", "thin", "deep", "wide", "odd", "batched"};
inline constexpr std::int64_t kDrawnCount = 60;     // shapes, if no --count is given
inline constexpr std::int64_t kMostDrawn = 10'000;  // far fewer than any class has

// The class in "drawn:general"; nothing for another suite. Throws Error(kUsage) for a class that does not exist.
std::optional<std::string> drawn_class(std::string_view suite);

// "drawn:general, drawn:thin, …"
std::vector<std::string> drawn_names();

// `count` lines of a class; fewer are the first of more. No two have the same sizes and batch, so that they stay apart
// if a --layout replaces the drawn ones.
std::vector<SuiteLine> draw_suite(std::string_view of_class, std::uint64_t seed, std::int64_t count);

// An integer from `low` (1 or more) to `high`, with a chance in proportion to 1 / itself.
std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high);

}  // namespace cairn::lab
