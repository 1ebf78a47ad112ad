#include "emu/sm90/wgmma_math.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "cairn/numbers.hpp"
#include "emu/machine/mma.hpp"
#include "emu/machine/mma_rounding.hpp"

namespace cairn::emu {

namespace {

using fragment::Type;

constexpr unsigned kEight = 8;

constexpr auto kNarrow = [] {
  std::array<float, 256> all{};
  for (unsigned i = 0; i < all.size(); ++i)
    all[i] = static_cast<float>(e4m3::from_bits(static_cast<std::uint8_t>(i)));
  return all;
}();

template <Type type> struct Element {
  using Word = std::uint16_t;
  static float number(Word bits) {
    return type == Type::bf16 ? static_cast<float>(bf16::from_bits(bits)) : static_cast<float>(f16::from_bits(bits));
  }
};
template <> struct Element<Type::tf32> {
  using Word = std::uint32_t;
  static float number(Word bits) { return std::bit_cast<float>(bits & 0xffffe000u); }
};
template <> struct Element<Type::e4m3> {
  using Word = std::uint8_t;
  static float number(Word bits) { return kNarrow[bits]; }
};

template <class Call> void by_type(Type type, Call call) {
  switch (type) {
    case Type::f16: return call.template operator()<Type::f16>();
    case Type::bf16: return call.template operator()<Type::bf16>();
    case Type::tf32: return call.template operator()<Type::tf32>();
    case Type::e4m3: return call.template operator()<Type::e4m3>();
    case Type::f64: break;  // there is no such wgmma
  }
}

template <Type type> constexpr unsigned kInChunk = kChunkBytes / sizeof(typename Element<type>::Word);

template <Type type> std::array<double, kInChunk<type>> read_chunk(const std::byte* from) {
  std::array<typename Element<type>::Word, kInChunk<type>> words;
  std::array<double, kInChunk<type>> numbers;
  std::memcpy(words.data(), from, sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) numbers[i] = static_cast<double>(Element<type>::number(words[i]));
  return numbers;
}

template <Type type>
void read_as(Blocks& to, bool mn_major, unsigned rows, const std::vector<unsigned>& chunks, const std::byte* base) {
  constexpr unsigned in_chunk = kInChunk<type>, k = 2 * in_chunk;
  to.resize(std::size_t{rows} * k);
  if (mn_major) {
    const unsigned blocks = rows / kEight;
    for (unsigned l = 0; l < k; ++l) {
      for (unsigned block = 0; block < blocks; ++block) {
        const auto numbers = read_chunk<type>(base + chunks[l * blocks + block]);
        std::copy(numbers.begin(), numbers.end(), to.begin() + (block * k + l) * kEight);
      }
    }
    return;
  }
  for (unsigned row = 0; row < rows; ++row) {
    double* column = to.data() + row / kEight * (k * kEight) + row % kEight;
    for (unsigned half = 0; half < 2; ++half) {
      const auto numbers = read_chunk<type>(base + chunks[2 * row + half]);
      for (unsigned i = 0; i < in_chunk; ++i) column[(half * in_chunk + i) * kEight] = numbers[i];
    }
  }
}

// A vector register of doubles.
#ifdef __AVX__
constexpr unsigned kWide = 4;
#else
constexpr unsigned kWide = 2;
#endif
using Wide [[gnu::vector_size(kWide * sizeof(double))]] = double;
using WideFloats [[gnu::vector_size(kWide * sizeof(float))]] = float;
template <class V, class T> V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Four rows of a block at a time: their accumulators stay in registers over all of k.
template <unsigned k> void add_wide(float* accumulators, const double* a, const double* b, bool add) {
  constexpr unsigned at_once = 4, parts = kEight / kWide;
  const WideFloats nan = WideFloats{} + std::bit_cast<float>(0x7fffffffu);
  for (unsigned row = 0; row < kWgmmaRows; row += at_once) {
    const double* mine = a + row / kEight * (k * kEight) + row % kEight;
    float* to = accumulators + row * kEight;
    Wide all[at_once][parts] = {};
    for (unsigned i = 0; add && i < at_once; ++i) {
      for (unsigned j = 0; j < parts; ++j)
        all[i][j] = __builtin_convertvector(load<WideFloats>(to + i * kEight + j * kWide), Wide);
    }
    const double* theirs = b;
#pragma GCC unroll 4
    for (unsigned l = 0; l < k; ++l, mine += kEight, theirs += kEight) {
      Wide of_b[parts];
      for (unsigned j = 0; j < parts; ++j) of_b[j] = load<Wide>(theirs + j * kWide);
      for (unsigned i = 0; i < at_once; ++i) {
        for (unsigned j = 0; j < parts; ++j) all[i][j] += mine[i] * of_b[j];
      }
    }
    for (unsigned i = 0; i < at_once; ++i) {
      for (unsigned j = 0; j < parts; ++j) {
        WideFloats rounded = __builtin_convertvector(all[i][j], WideFloats);
        rounded = rounded == rounded ? rounded : nan;  // the NaN that tensor cores write
        std::memcpy(to + i * kEight + j * kWide, &rounded, sizeof rounded);
      }
    }
  }
}

// How Hopper adds (emu/machine/mma.hpp). For e4m3 it keeps fewer bits of the terms and of the sum.
struct Rules {
  int smallest;             // exponent of a normal number of A or B
  int kept;                 // fractional bits of the aligned terms
  std::uint32_t sum = ~0u;  // mask of the result's bits
};
Rules rules_of(Type type) {
  constexpr int of_f16 = -14, of_float = -126, of_e4m3 = -6, few = 13;
  if (type == Type::e4m3) return {of_e4m3, few, ~0u << (23 - few)};
  return {type == Type::f16 ? of_f16 : of_float, kAlignedBits};
}

std::vector<int> exponents(const double* numbers, std::size_t count, int smallest) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = exponent(numbers[i], smallest);
  return all;
}

float cut_sum(double sum, const Rules& rules) {
  const auto cut = static_cast<float>(cut_to_float(sum));
  return std::isinf(cut) ? cut : std::bit_cast<float>(std::bit_cast<std::uint32_t>(cut) & rules.sum);
}

void add_faithful(float* accumulators, const double* a, const int* a_exponents, const double* b,
                  const int* b_exponents, unsigned k, bool add, const Rules& rules) {
  constexpr int of_float = -126;
  for (unsigned row = 0; row < kWgmmaRows; ++row) {
    const unsigned mine = row / kEight * (k * kEight) + row % kEight;
    float* to = accumulators + row * kEight;
    std::array<double, kEight> before, all, scale, sum;
    std::array<int, kEight> top;
    for (unsigned j = 0; j < kEight; ++j) {
      before[j] = all[j] = add ? static_cast<double>(to[j]) : 0;
      top[j] = std::max(of_float, exponent(before[j], of_float));
    }
    for (unsigned l = 0; l < k; ++l) {
      const double x = a[mine + l * kEight];
      const int e = a_exponents[mine + l * kEight];
      for (unsigned j = 0; j < kEight; ++j) {
        all[j] += x * b[l * kEight + j];
        top[j] = std::max(top[j], e + b_exponents[l * kEight + j]);
      }
    }
    for (unsigned j = 0; j < kEight; ++j) {
      scale[j] = power(rules.kept - top[j]);
      sum[j] = std::trunc(before[j] * scale[j]);
    }
    for (unsigned l = 0; l < k; ++l) {
      const double x = a[mine + l * kEight];
      for (unsigned j = 0; j < kEight; ++j) sum[j] += std::trunc(x * b[l * kEight + j] * scale[j]);
    }
    for (unsigned j = 0; j < kEight; ++j) {
      // With an infinity or a NaN among the terms, the sum in double is the result.
      to[j] = std::isfinite(all[j]) ? cut_sum(sum[j] * power(top[j] - rules.kept) + 0.0, rules) : to_float(all[j]);
    }
  }
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits, bool is_mn_major) : mn_major(is_mn_major) {
  constexpr unsigned sizes[] = {16, 128, 64, 32};
  const auto field = [&](int shift) { return static_cast<unsigned>(bits >> shift & 0x3fff) << 4; };
  start = field(0), leading = field(16), stride = field(32);
  row_bytes = sizes[bits >> 62];
}

std::vector<unsigned> MatrixDescriptor::chunks(unsigned rows) const {
  std::vector<unsigned> all(std::size_t{2} * rows);
  unsigned* next = all.data();
  if (!mn_major) {
    const unsigned half = row_bytes == kChunkBytes ? leading : kChunkBytes;
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned at = start + row / kEight * stride + row % kEight * row_bytes;
      *next++ = at, *next++ = at + half;
    }
  } else {
    // Without a swizzle the two offsets exchange their roles, as we read the tables of layouts in the PTX manual: the
    // stride offset is along the rows, the leading one along k. Only hardware can confirm that.
    const bool plain = row_bytes == kChunkBytes;
    const unsigned across = plain ? stride : leading, down = plain ? leading : stride;
    const unsigned wide = row_bytes / kChunkBytes;  // chunks of a row
    constexpr unsigned k = 16;
    for (unsigned l = 0; l < k; ++l) {
      for (unsigned chunk = 0; chunk < rows / kEight; ++chunk)
        *next++ =
            start + chunk / wide * across + chunk % wide * kChunkBytes + l / kEight * down + l % kEight * row_bytes;
    }
  }
  // The swizzle: bits of the chunk's row number (address / 128) are XORed into its position in the row.
  const unsigned mask = (row_bytes - 1) & ~(kChunkBytes - 1);
  for (unsigned& at : all) at ^= at >> 3 & mask;
  return all;
}

void read_operand(Blocks& to, Type type, bool mn_major, unsigned rows, const std::vector<unsigned>& chunks,
                  const std::byte* base) {
  by_type(type, [&]<Type as>() { read_as<as>(to, mn_major, rows, chunks, base); });
}

void read_registers(Blocks& to, const fragment::Kind& kind, const std::uint32_t* const* registers) {
  const auto k = static_cast<unsigned>(kind.shape.k);
  to.resize(std::size_t{kWgmmaRows} * k);
  by_type(kind.type, [&]<Type type>() {
    constexpr unsigned each = kInChunk<type>;
    for (unsigned thread = 0; thread < kWarpgroup; ++thread) {
      const auto numbers = read_chunk<type>(reinterpret_cast<const std::byte*>(registers[thread]));
      for (unsigned i = 0; i < each; ++i) {
        const fragment::Place at =
            fragment::place(kind, fragment::Operand::a, static_cast<int>(thread), static_cast<int>(i));
        const auto row = static_cast<unsigned>(at.row), l = static_cast<unsigned>(at.col);
        to[row / kEight * (k * kEight) + l * kEight + row % kEight] = numbers[i];
      }
    }
  });
}

void multiply_warpgroup(float* accumulators, const fragment::Kind& kind, const Blocks& a, const Blocks& b, bool add,
                        bool faithful) {
  const auto k = static_cast<unsigned>(kind.shape.k), blocks = static_cast<unsigned>(kind.shape.n) / kEight;
  if (!faithful) {
    const auto add_blocks = [&]<unsigned depth>() {
      for (unsigned block = 0; block < blocks; ++block)
        add_wide<depth>(accumulators + block * kWgmmaRows * kEight, a.data(), b.data() + block * depth * kEight, add);
    };
    if (k == 8) add_blocks.template operator()<8>();
    if (k == 16) add_blocks.template operator()<16>();
    if (k == 32) add_blocks.template operator()<32>();
    return;
  }
  const Rules rules = rules_of(kind.type);
  const std::vector<int> of_a = exponents(a.data(), a.size(), rules.smallest),
                         of_b = exponents(b.data(), b.size(), rules.smallest);
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned at = block * k * kEight;
    add_faithful(accumulators + block * kWgmmaRows * kEight, a.data(), of_a.data(), b.data() + at, of_b.data() + at,
                 k, add, rules);
  }
}

// Registers 4 j to 4 j + 3 belong to block j: two columns of a row, and the same two of the row eight below.
void put_accumulators(float* accumulators, unsigned n, unsigned thread, const float* registers) {
  float* to = accumulators + (thread / 32 * 16 + thread % 32 / 4) * kEight + thread % 4 * 2;
  for (unsigned block = 0; block < n / kEight; ++block, to += kWgmmaRows * kEight, registers += 4) {
    std::memcpy(to, registers, 2 * sizeof(float));
    std::memcpy(to + kEight * kEight, registers + 2, 2 * sizeof(float));
  }
}
void get_accumulators(const float* accumulators, unsigned n, unsigned thread, float* registers) {
  const float* from = accumulators + (thread / 32 * 16 + thread % 32 / 4) * kEight + thread % 4 * 2;
  for (unsigned block = 0; block < n / kEight; ++block, from += kWgmmaRows * kEight, registers += 4) {
    std::memcpy(registers, from, 2 * sizeof(float));
    std::memcpy(registers + 2, from + kEight * kEight, 2 * sizeof(float));
  }
}

}  // namespace cairn::emu
