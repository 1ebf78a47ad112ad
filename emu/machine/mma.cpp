#include "emu/machine/mma.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cairn/numbers.hpp"
#include "emu/machine/mma_rounding.hpp"

namespace cairn::emu {

namespace {

using fragment::Kind;
using fragment::Operand;
using fragment::Type;

constexpr int kLanes = 32;

// A register's element as a number. The low bits of a tf32, which tensor cores ignore, are dropped.
float number(std::uint16_t bits, Type type) {
  return type == Type::bf16 ? static_cast<float>(bf16::from_bits(bits)) : static_cast<float>(f16::from_bits(bits));
}
float number(std::uint32_t bits, Type) { return std::bit_cast<float>(bits & 0xffffe000u); }

// For each lane and each of its elements, the position in the tile.
template <Kind kind, Operand operand> constexpr auto make_map() {
  constexpr int each = fragment::distinct(kind, operand);
  std::array<std::uint16_t, std::size_t{kLanes} * each> map{};
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < each; ++i) {
      const fragment::Place at = fragment::place(kind, operand, lane, i);
      map[static_cast<std::size_t>(lane * each + i)] =
          static_cast<std::uint16_t>(at.row * fragment::cols(kind.shape, operand) + at.col);
    }
  }
  return map;
}
template <Kind kind, Operand operand> constexpr auto map_of = make_map<kind, operand>();

template <int rows, int cols> using Tile = std::array<std::array<double, cols>, rows>;

template <Kind kind, Operand operand, class Tile>
void gather(Tile& tile, const std::array<LaneTiles, kLanes>& lanes, const void* LaneTiles::*where) {
  using Word = std::conditional_t<kind.type == Type::tf32, std::uint32_t, std::uint16_t>;
  constexpr int each = fragment::distinct(kind, operand);
  const auto& map = map_of<kind, operand>;
  double* to = tile.data()->data();
  for (int lane = 0; lane < kLanes; ++lane) {
    std::array<Word, each> held;
    std::array<float, each> numbers;
    std::memcpy(held.data(), lanes[static_cast<std::size_t>(lane)].*where, sizeof held);
    for (std::size_t i = 0; i < each; ++i) numbers[i] = number(held[i], kind.type);
    for (std::size_t i = 0; i < each; ++i)
      to[map[static_cast<std::size_t>(lane * each) + i]] = static_cast<double>(numbers[i]);
  }
}

template <Kind kind, class Tile> void gather_sums(Tile& tile, const std::array<LaneTiles, kLanes>& lanes, bool half) {
  constexpr int each = fragment::distinct(kind, Operand::c);
  const auto& map = map_of<kind, Operand::c>;
  double* to = tile.data()->data();
  for (int lane = 0; lane < kLanes; ++lane) {
    const void* from = lanes[static_cast<std::size_t>(lane)].c;
    for (int i = 0; i < each; ++i) {
      const std::size_t at = map[static_cast<std::size_t>(lane * each + i)];
      if (half) {
        to[at] = static_cast<double>(static_cast<const f16*>(from)[i]);
      } else {
        to[at] = static_cast<double>(static_cast<const float*>(from)[i]);
      }
    }
  }
}

template <Kind kind, class Tile>
void scatter_sums(const Tile& tile, const std::array<LaneTiles, kLanes>& lanes, bool half) {
  constexpr int each = fragment::distinct(kind, Operand::c);
  const auto& map = map_of<kind, Operand::c>;
  const double* from = tile.data()->data();
  for (int lane = 0; lane < kLanes; ++lane) {
    void* to = lanes[static_cast<std::size_t>(lane)].d;
    for (int i = 0; i < each; ++i) {
      const double x = from[map[static_cast<std::size_t>(lane * each + i)]];
      if (half) {
        static_cast<f16*>(to)[i] = f16(x);
      } else {
        static_cast<float*>(to)[i] = to_float(x);
      }
    }
  }
}

template <int m, int n, int k> void add_wide(Tile<m, n>& sums, const Tile<m, k>& a, const Tile<k, n>& b) {
  for (std::size_t i = 0; i < m; ++i) {
    auto& row = sums[i];
    for (std::size_t l = 0; l < k; ++l) {
      const double x = a[i][l];
      for (std::size_t j = 0; j < n; ++j) row[j] += x * b[l][j];
    }
  }
}

// k from `first` to `first + depth`: what one hardware instruction adds.
template <int m, int n, int k>
void add_faithful(Tile<m, n>& sums, const Tile<m, k>& a, const Tile<k, n>& b, Type type, bool half_in, bool half_out,
                  std::size_t first, std::size_t depth) {
  constexpr int kOfHalf = -14, kOfFloat = -126;
  const int smallest = type == Type::f16 ? kOfHalf : kOfFloat;
  std::array<std::array<int, k>, m> a_exponents;
  std::array<std::array<int, n>, k> b_exponents;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l) a_exponents[i][l] = exponent(a[i][l], smallest);
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j) b_exponents[l][j] = exponent(b[l][j], smallest);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double before = sums[i][j];
      double all = before;
      int top = std::max(kOfFloat, exponent(before, half_in ? kOfHalf : kOfFloat));
      for (std::size_t l = first; l < first + depth; ++l) {
        all += a[i][l] * b[l][j];
        top = std::max(top, a_exponents[i][l] + b_exponents[l][j]);
      }
      if (!std::isfinite(all)) {  // with an infinity or a NaN the sum in double is the result
        sums[i][j] = all;
        continue;
      }
      const double scale = power(kAlignedBits - top);
      double sum = std::trunc(before * scale);
      for (std::size_t l = first; l < first + depth; ++l) sum += std::trunc(a[i][l] * b[l][j] * scale);
      sum = sum * power(top - kAlignedBits) + 0.0;  // no -0
      sums[i][j] = half_out ? sum : cut_to_float(sum);
    }
  }
}

// A lane's doubles to their places in a tile.
template <Kind kind, Operand operand, class Tile>
void gather_doubles(Tile& tile, const std::array<LaneTiles, kLanes>& lanes, const void* LaneTiles::*where) {
  constexpr int each = fragment::distinct(kind, operand);
  const auto& map = map_of<kind, operand>;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto* from = static_cast<const double*>(lanes[static_cast<std::size_t>(lane)].*where);
    for (int i = 0; i < each; ++i) tile.data()->data()[map[static_cast<std::size_t>(lane * each + i)]] = from[i];
  }
}

template <Kind kind> void multiply_doubles(const std::array<LaneTiles, kLanes>& lanes) {
  constexpr int m = kind.shape.m, n = kind.shape.n, k = kind.shape.k;
  Tile<m, k> a;
  Tile<k, n> b;
  Tile<m, n> sums;
  gather_doubles<kind, Operand::a>(a, lanes, &LaneTiles::a);
  gather_doubles<kind, Operand::b>(b, lanes, &LaneTiles::b);
  gather_doubles<kind, Operand::c>(sums, lanes, &LaneTiles::c);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j) sums[i][j] = std::fma(a[i][l], b[l][j], sums[i][j]);
  constexpr int each = fragment::distinct(kind, Operand::c);
  const auto& map = map_of<kind, Operand::c>;
  for (int lane = 0; lane < kLanes; ++lane) {
    auto* to = static_cast<double*>(lanes[static_cast<std::size_t>(lane)].d);
    for (int i = 0; i < each; ++i) to[i] = sums.data()->data()[map[static_cast<std::size_t>(lane * each + i)]];
  }
}

template <Kind kind> void multiply(const Multiply& what, const std::array<LaneTiles, kLanes>& lanes, bool faithful) {
  constexpr int m = kind.shape.m, n = kind.shape.n, k = kind.shape.k;
  Tile<m, k> a;
  Tile<k, n> b;
  Tile<m, n> sums;
  gather<kind, Operand::a>(a, lanes, &LaneTiles::a);
  gather<kind, Operand::b>(b, lanes, &LaneTiles::b);
  gather_sums<kind>(sums, lanes, what.half_in);
  if (faithful) {
    const auto depth = static_cast<std::size_t>(fragment::depth(kind));
    for (std::size_t first = 0; first < k; first += depth)
      add_faithful<m, n, k>(sums, a, b, kind.type, what.half_in, what.half_out, first, depth);
  } else {
    add_wide<m, n, k>(sums, a, b);
  }
  scatter_sums<kind>(sums, lanes, what.half_out);
}

template <std::size_t i = 0>
void multiply_any(const Multiply& what, const std::array<LaneTiles, kLanes>& lanes, bool faithful) {
  if constexpr (i < std::size(fragment::kinds)) {
    constexpr Kind kind = fragment::kinds[i];
    if (kind == what.kind) {
      if constexpr (kind.type == Type::f64) return multiply_doubles<kind>(lanes);
      if constexpr (kind.type != Type::f64) return multiply<kind>(what, lanes, faithful);
    }
    multiply_any<i + 1>(what, lanes, faithful);
  }
}

}  // namespace

void multiply_tiles(const Multiply& what, const std::array<LaneTiles, 32>& lanes, bool faithful) {
  multiply_any(what, lanes, faithful);
}

}  // namespace cairn::emu
