// The menu of the summit: its tiles, each of which is a kernel for every type and layout, and its variants.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "device/epilogue.hpp"
#include "kernels/hopper/parts/cost.hpp"
#include "kernels/hopper/parts/tile.hpp"

namespace cairn::hopper_59 {

using namespace hopper;

inline constexpr Tile kTiles[] = {{128, 256},
                                  {256, 128},
                                  {128, 192},
                                  {128, 128, Team::pingpong},
                                  {128, 128},
                                  {64, 128, Team::cols, Sharing::helper},
                                  {64, 64, Team::pingpong},
                                  {64, 64, Team::pingpong, Sharing::helper},
                                  {128, 224},
                                  {128, 160},
                                  {128, 96},
                                  {64, 96, Team::pingpong},
                                  {64, 32, Team::pingpong},
                                  {64, 16, Team::pingpong},
                                  {64, 64, Team::pingpong, Sharing::pair},
                                  {64, 32, Team::pingpong, Sharing::pair},
                                  {64, 16, Team::pingpong, Sharing::pair},
                                  {64, 32, Team::pingpong, Sharing::pair, true},
                                  {64, 16, Team::pingpong, Sharing::pair, true}};
static_assert(std::ranges::all_of(kTiles, &Tile::valid));
// Those with a second kernel, which applies an epilogue. 256x128 is there for promoted sums, with which 128x256 takes
// scales of blocks only (Tile::finishes_sums).
template <bool promoted>
using FinishingTiles = std::conditional_t<promoted, std::integer_sequence<int, 0, 1, 2, 3, 4, 6, 12, 13>,
                                          std::integer_sequence<int, 0, 2, 3, 4, 6, 12, 13>>;
// Those with a third one, for groups of rows. Promoted sums would spill in 128x256 and in pingpong of 128x128.
template <bool promoted>
using GroupedTiles = std::conditional_t<promoted, std::integer_sequence<int, 2, 4, 6, 12>,
                                        std::integer_sequence<int, 0, 2, 3, 4, 6, 12>>;
inline constexpr int kLoadedTiles = 17;  // by TMA; the fetched ones follow
static_assert(!kTiles[kLoadedTiles - 1].fetched && kTiles[kLoadedTiles].fetched);

// Tiles and clusters, upright and, after all of a list, turned. A list follows those that were measured before it.
inline constexpr int kLoaded[][2] = {{0, 1},  {0, 2},  {1, 1},  {1, 2},  {2, 1},  {2, 2},  {3, 2},  {4, 1},
                                     {5, 1},  {5, 2},  {6, 1},  {7, 1},  {8, 1},  {8, 2},  {9, 1},  {9, 2},
                                     {10, 1}, {10, 2}, {11, 1}, {11, 2}, {12, 1}, {12, 2}, {13, 1}, {13, 2}};
inline constexpr int kFetched[][2] = {{17, 1}, {18, 1}}, kPaired[][2] = {{14, 1}, {15, 1}, {16, 1}};
// Tiles of few waves in clusters of four and eight, 4x1 and 4x2, which load less from L2.
inline constexpr int kClustered[] = {2, 4, 5, 6, 9, 10, 11, 12};
inline constexpr auto kVariants = [] {
  std::array<Variant, 2 * (std::size(kLoaded) + std::size(kFetched) + std::size(kPaired) + 2 * std::size(kClustered))>
      all{};
  auto next = all.begin();
  const auto add = [&](const auto& menu) {
    for (const bool turned : {false, true})
      for (const auto& [tile, down] : menu) *next++ = {kTiles[tile], down, 1, turned};
  };
  add(kLoaded);
  add(kFetched);
  add(kPaired);
  for (const bool turned : {false, true}) {
    for (const int tile : kClustered)
      for (const int across : {1, 2}) *next++ = {kTiles[tile], 4, across, turned};
  }
  return all;
}();
static_assert(std::ranges::all_of(kVariants, &Variant::valid));

// The place of a variant's tile among kTiles.
constexpr int tile_of(const Variant& v) { return static_cast<int>(std::ranges::find(kTiles, v.tile) - kTiles); }

inline bool scales_in_blocks(const Problem& p) {
  return p.scale_a == Scale::vector_blocks || p.scale_a == Scale::blocks;
}
// Where every tile is split, the fix-up kernel applies the epilogue, and the GEMM is the plain one, of any tile. Of an
// invariant problem no tile is split.
inline bool fixup_finishes(const Problem& p, const Division& division) {
  return !p.is_grouped() && !scales_in_blocks(p) && p.invariant == Invariant::none && division.splits_all();
}

// Whether there is a kernel for the problem's epilogue, or its groups, with this tile.
template <int... tile> constexpr bool is_one_of(int which, std::integer_sequence<int, tile...>) {
  return ((which == tile) || ...);
}
inline Form form_of(const Problem& p) {
  return p.is_grouped() ? Form::grouped : p.has_epilogue() ? Form::finishing : Form::plain;
}
inline bool finishes(const Problem& p, const Variant& v) {
  if (form_of(p) == Form::plain) return true;
  const bool each_column = (v.turned ? p.scale_a : p.scale_b) == Scale::vector_blocks;
  const int tile = tile_of(v);
  const auto is_there = [&]<bool promoted>() {
    return p.is_grouped() ? is_one_of(tile, GroupedTiles<promoted>{}) : is_one_of(tile, FinishingTiles<promoted>{});
  };
  return (promotes(p) ? is_there.template operator()<true>() : is_there.template operator()<false>()) &&
         (!finishes_sums(p) || v.tile.finishes_sums(promotes(p))) &&
         (!scales_in_blocks(p) || (v.tile.scales_blocks() && (!each_column || v.tile.scales_columns())));
}

// The same of a variant that divides its tiles like this.
inline bool finishes(const Problem& p, const Variant& v, const Division& division) {
  return finishes(p, v) || fixup_finishes(p, division);
}

}  // namespace cairn::hopper_59
