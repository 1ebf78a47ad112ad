#include "tests/device/reference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cairn/numbers.hpp"

namespace cairn::device_ops {
namespace {

using fragment::Place;

template <class T> T get(const unsigned char* from, int i) {
  T value;
  std::memcpy(&value, from + sizeof(T) * static_cast<std::size_t>(i), sizeof value);
  return value;
}
template <class T> void put(unsigned char* to, int i, T value) {
  std::memcpy(to + sizeof(T) * static_cast<std::size_t>(i), &value, sizeof value);
}

// A number taken apart: significand * 2^(exponent - fraction), as tensor cores see it.
struct Number {
  double value;
  std::int64_t significand;
  int exponent, fraction;
};

Number take_apart(std::uint32_t bits, int exponent_bits, int fraction, double value) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto field = static_cast<int>(bits >> fraction & ((1u << exponent_bits) - 1));
  const auto low = static_cast<std::int64_t>(bits & ((1u << fraction) - 1));
  const std::int64_t size = field == 0 ? low : low | std::int64_t{1} << fraction;
  return {value, std::signbit(value) ? -size : size, std::max(field, 1) - bias, fraction};
}
Number number(const unsigned char* from, int i, Type type) {
  if (type == Type::tf32) {
    const std::uint32_t bits = get<std::uint32_t>(from, i) >> 13;  // the other 13 are not read
    return take_apart(bits, 8, 10, static_cast<double>(std::bit_cast<float>(bits << 13)));
  }
  if (type == Type::e4m3) {
    const auto narrow = get<std::uint8_t>(from, i);
    return take_apart(narrow, 4, 3, static_cast<double>(e4m3::from_bits(narrow)));
  }
  const auto bits = get<std::uint16_t>(from, i);
  if (type == Type::bf16) return take_apart(bits, 8, 7, static_cast<double>(bf16::from_bits(bits)));
  return take_apart(bits, 5, 10, static_cast<double>(f16::from_bits(bits)));
}
Number sum_number(const unsigned char* from, int i, bool half) {
  if (half) return number(from, i, Type::f16);
  const auto bits = get<std::uint32_t>(from, i);
  return take_apart(bits, 8, 23, static_cast<double>(std::bit_cast<float>(bits)));
}

// The same number with the exponent that it is aligned by.
constexpr int kNever = -4096;  // below every other sum of two
Number aligned(Number x, Rounding rounding) {
  if (x.significand == 0) {
    if (rounding != Rounding::zeros) x.exponent = kNever;
    return x;
  }
  while (rounding == Rounding::normalised && std::abs(x.significand) < std::int64_t{1} << x.fraction)
    x.significand *= 2, --x.exponent;
  return x;
}

// One sum: c + a[0] b[0] + a[1] b[1] + …
struct Terms {
  const Number *a, *b;
  int k;
  Number c;
};

double wide_sum(const Terms& terms) {
  double sum = terms.c.value;
  for (int l = 0; l < terms.k; ++l) sum += terms.a[l].value * terms.b[l].value;
  return sum;
}

int largest_exponent(const Terms& terms) {
  int top = std::max(-126, terms.c.exponent);
  for (int l = 0; l < terms.k; ++l) top = std::max(top, terms.a[l].exponent + terms.b[l].exponent);
  return top;
}

// `size` * 2^by, cut off toward zero.
std::int64_t shifted(std::int64_t size, int by) {
  const std::int64_t positive = size < 0 ? -size : size;
  const std::int64_t moved = by >= 0 ? positive << by : by > -63 ? positive >> -by : 0;
  return size < 0 ? -moved : moved;
}

// `kept`: bits of the terms behind the point of the largest; of the sum, `digits` in all.
double faithful_sum(const Terms& terms, bool half_out, int kept = 25, int digits = 24) {
  if (const double wide = wide_sum(terms); !std::isfinite(wide)) return wide;
  const int top = largest_exponent(terms);
  std::int64_t sum = 0;
  if (const Number& c = terms.c; c.significand != 0)
    sum = shifted(c.significand, kept - c.fraction + c.exponent - top);
  for (int l = 0; l < terms.k; ++l) {
    const Number &a = terms.a[l], &b = terms.b[l];
    if (a.significand == 0 || b.significand == 0) continue;
    sum += shifted(a.significand * b.significand, kept - a.fraction - b.fraction + a.exponent + b.exponent - top);
  }
  if (half_out) return std::ldexp(static_cast<double>(sum), top - kept);
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum < 0 ? -sum : sum)));
  const int dropped = std::max({0, bits - digits, -126 - digits + 1 - (top - kept)});
  const double cut = std::ldexp(static_cast<double>(shifted(sum, -dropped)), top - kept + dropped);
  return std::fabs(cut) >= 0x1p128 ? std::copysign(INFINITY, cut) : cut;
}

// WMMA of tf32 is made of instructions 4 deep, seen in machine code: the first four products, then the others. Of
// e4m3 fewer bits are kept.
double faithful_sum(const Terms& terms, const Op& op) {
  if (op.kind.type == Type::e4m3) return faithful_sum(terms, false, 13, 14);
  if (op.what != What::wmma || op.kind.type != fragment::Type::tf32) return faithful_sum(terms, op.half_out);
  Terms half = terms;
  half.k = 4;
  const auto first = static_cast<float>(faithful_sum(half, false));
  std::array<unsigned char, sizeof first> bytes{};
  std::memcpy(bytes.data(), &first, sizeof first);
  half.a += 4, half.b += 4;
  half.c = aligned(sum_number(bytes.data(), 0, false), Rounding::faithful);
  return faithful_sum(half, false);
}

// The tiles of one product: A and C by rows, B by columns; and where in the output each sum goes.
struct Tiles {
  std::vector<Number> a, b, c;
  std::vector<int> place;

  explicit Tiles(const Op& op) {
    a.resize(static_cast<std::size_t>(elements(op, Operand::a)));
    b.resize(static_cast<std::size_t>(elements(op, Operand::b)));
    c.resize(static_cast<std::size_t>(elements(op, Operand::c)));
    place.resize(c.size());
  }
  void align(Rounding rounding) {
    for (auto* numbers : {&a, &b, &c})
      for (Number& number : *numbers) number = aligned(number, rounding);
  }
  // From the registers of all lanes.
  void from_registers(const Op& op, const unsigned char* in) {
    const auto [m, n, k] = op.kind.shape;
    for (int at = 0; at < m * k; ++at) {
      const Place p = manual_place(op.kind, Operand::a, at / (m * k / 32), at % (m * k / 32));
      a[static_cast<std::size_t>(p.row * k + p.col)] = number(in, at, op.kind.type);
    }
    for (int at = 0; at < k * n; ++at) {
      const Place p = manual_place(op.kind, Operand::b, at / (k * n / 32), at % (k * n / 32));
      b[static_cast<std::size_t>(p.col * k + p.row)] = number(in + b_begins(op), at, op.kind.type);
    }
    for (int at = 0; at < m * n; ++at) {
      const Place p = manual_place(op.kind, Operand::c, at / (m * n / 32), at % (m * n / 32));
      c[static_cast<std::size_t>(p.row * n + p.col)] = sum_number(in + c_begins(op), at, op.half_in);
      place[static_cast<std::size_t>(p.row * n + p.col)] = at;
    }
  }
  // For wgmma always A by rows and B by columns.
  void from_memory(const Op& op, const unsigned char* in, int way) {
    const auto [m, n, k] = op.kind.shape;
    const bool group = op.what == What::wgmma;
    const bool a_by_cols = !group && (way & 1) != 0, b_by_cols = group || (way & 2) != 0;
    for (int at = 0; at < m * k; ++at) {
      const int row = a_by_cols ? at % m : at / k, col = a_by_cols ? at / m : at % k;
      a[static_cast<std::size_t>(row * k + col)] = number(in, at, op.kind.type);
    }
    for (int at = 0; at < k * n; ++at) {
      const int row = b_by_cols ? at % k : at / n, col = b_by_cols ? at / k : at % n;
      b[static_cast<std::size_t>(col * k + row)] = number(in + b_begins(op), at, op.kind.type);
    }
    for (int at = 0; at < m * n; ++at) {
      c[static_cast<std::size_t>(at)] = sum_number(in + c_begins(op), at, op.half_in);
      place[static_cast<std::size_t>(at)] = way * m * n + at;
    }
  }
};

// Calls each(place in the output of the tile, terms) for all sums, tile by tile.
template <class Each> void for_each_sum(const Op& op, int tiles, const Bytes& in, Rounding rounding, Each each) {
  const auto [m, n, k] = op.kind.shape;
  Tiles all(op);
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned char* from = in.data() + static_cast<std::size_t>(tile) * in_bytes(op);
    for (int way = 0; way < (op.what == What::mma ? 1 : kWays); ++way) {
      if (op.what != What::mma) {
        all.from_memory(op, from, way);
      } else {
        all.from_registers(op, from);
      }
      all.align(rounding);
      for (int i = 0; i < m * n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        each(tile, all.place[at],
             Terms{&all.a[static_cast<std::size_t>(i / n * k)], &all.b[static_cast<std::size_t>(i % n * k)], k,
                   all.c[at]});
      }
    }
  }
}

void put_sum(unsigned char* to, int at, double sum, bool half) {
  if (half) {
    put(to, at, f16(sum).bits);
  } else {
    put(to, at, std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
  }
}

void expect_matrices(const Op& op, const unsigned char* in, unsigned char* out) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 2 * op.count; ++i) {  // 16-bit words
      const int matrix = i / 2, along = lane % 4 * 2 + i % 2, across = lane / 4;
      const int row = op.what == What::transposed ? along : across,
                col = op.what == What::transposed ? across : along;
      put(out, lane * 2 * op.count + i, get<std::uint16_t>(in + 16 * in[512 + matrix * 8 + row], col));
    }
  }
}

void expect_stored(const Op& op, const unsigned char* in, unsigned char* out) {
  std::memset(out, 0xff, 512);
  for (int at = 0; at < 64 * op.count; ++at) {  // words of matrices
    const int matrix = at / 64, row = at / 8 % 8, col = at % 8, names = matrix * 8 + row;
    const bool turned = op.what == What::stored_transposed;
    const int across = turned ? col : row, along = turned ? row : col;
    const int lane = across * 4 + along / 2, from = (lane * op.count + matrix) * 2 + along % 2;
    put(out + 16 * ((names * (2 * in[512] + 1) + in[513]) % 32), col, get<std::uint16_t>(in, from));
  }
}

// x[] of all lanes, for a tile in memory by rows or by columns. Gives where the next goes.
template <class T>
unsigned char* expect_elements(const Op& op, Operand operand, int held, bool by_rows, const unsigned char* in,
                               unsigned char* out) {
  for (int at = 0; at < 32 * held; ++at) {
    const Place p = manual_place(op.kind, operand, at / held, at % held);
    const int from =
        by_rows ? p.row * cols(op.kind.shape, operand) + p.col : p.col * rows(op.kind.shape, operand) + p.row;
    put(out, at, get<T>(in, from));
  }
  return out + sizeof(T) * 32 * static_cast<std::size_t>(held);
}
template <class T> void expect_operands(const Op& op, const unsigned char* in, unsigned char* out) {
  const int a = op.kind.type == Type::f16 ? 16 : elements(op, Operand::a) / 32;
  const int b = op.kind.type == Type::f16 ? 16 : elements(op, Operand::b) / 32;
  for (int memory = 0; memory < 2; ++memory) {
    for (const bool by_rows : {true, false}) out = expect_elements<T>(op, Operand::a, a, by_rows, in, out);
    for (const bool by_rows : {true, false})
      out = expect_elements<T>(op, Operand::b, b, by_rows, in + b_begins(op), out);
  }
}
template <class T> void expect_sums(const Op& op, const unsigned char* in, unsigned char* out) {
  for (const bool by_rows : {true, false}) out = expect_elements<T>(op, Operand::c, 8, by_rows, in, out);
  const auto [m, n, k] = op.kind.shape;
  for (int at = 0; at < m * n; ++at) {
    put(out, at % n * m + at / n, get<T>(in, at));          // read by rows, stored by columns
    put(out, m * n + at, get<T>(in, at % n * m + at / n));  // and the other way
  }
}

}  // namespace

Place manual_place(const Kind& kind, Operand operand, int lane, int i) {
  if (kind.op == fragment::Op::wgmma) {  // each warp as in mma, and a register of A has four bytes of 32
    const int row = lane / 32 * 16 + lane % 32 / 4;
    if (operand == Operand::c) return {row + (i & 2) * 4, i / 4 * 8 + lane % 4 * 2 + (i & 1)};
    const int size = 32 / kind.shape.k, word = i * size / 4;
    return {row + (word & 1) * 8, (lane % 4 * 4 + (word & 2) * 8 + i * size % 4) / size};
  }
  const int group = lane >> 2, member = lane % 4;
  const auto [m, n, k] = kind.shape;
  if (kind.type == Type::f64) {
    if (operand == Operand::a) return {i % 2 == 0 ? group : group + 8, member + i / 2 * 4};
    if (operand == Operand::b) return {member + i * 4, group};
    return {i < 2 ? group : group + 8, member * 2 + (i & 1)};
  }
  if (operand == Operand::c) {
    if (kind.op == fragment::Op::mma) return {i < 2 ? group : group + 8, member * 2 + (i & 1)};
    if (m == 8) return {member * 2 + (i & 1), group + (i & 2) * 4 + (i & 4) * 4};
    if (m == 32) return {group + (i & 2) * 4 + (i & 4) * 4, member * 2 + (i & 1)};
    return {group + (i & 2) * 4, member * 2 + (i & 1) + (i & 4) * 2};
  }
  if (kind.type == Type::tf32) {
    if (operand == Operand::a) return {i == 0 || i == 2 ? group : group + 8, i < 2 ? member : member + 4};
    return {i % 2 == 0 ? member : member + 4, i < 2 ? group : group + 8};
  }
  if (kind.op == fragment::Op::mma) {
    if (operand == Operand::b) return {member * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
    if (k == 8) return {i < 2 ? group : group + 8, member * 2 + (i & 1)};
    return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, member * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  }
  if (m == 16) {
    i %= 8;
    if (operand == Operand::a) return {group + (i & 2) * 4, member * 2 + (i & 1) + (i & 4) * 2};
    return {member * 2 + (i & 1) + (i & 2) * 4, group + (i & 4) * 2};
  }
  if (m == 32) {
    if (operand == Operand::a) return {group + (i & 2) * 4 + (i & 8) * 2, member * 2 + (i & 1) + (i & 4) * 2};
    return {member * 2 + (i & 1) + (i & 2) * 4, group};
  }
  if (operand == Operand::a) return {group, member * 2 + (i & 1) + (i & 2) * 4};
  return {member * 2 + (i & 1) + (i & 4) * 2, group + (i & 2) * 4 + (i & 8) * 2};
}

Bytes expected(const Op& op, int tiles, const Bytes& in, Rounding rounding) {
  Bytes out(static_cast<std::size_t>(tiles) * out_bytes(op));
  const auto of = [&](int tile) { return out.data() + static_cast<std::size_t>(tile) * out_bytes(op); };
  if (op.what == What::mma || op.what == What::wmma || op.what == What::wgmma) {
    for_each_sum(op, tiles, in, rounding, [&](int tile, int place, const Terms& terms) {
      const double sum = rounding == Rounding::wide ? wide_sum(terms) : faithful_sum(terms, op);
      put_sum(of(tile), place, sum, op.half_out);
    });
    return out;
  }
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned char* from = in.data() + static_cast<std::size_t>(tile) * in_bytes(op);
    if (op.what == What::operands) {
      bytes_each(op) == 2 ? expect_operands<std::uint16_t>(op, from, of(tile))
                          : expect_operands<std::uint32_t>(op, from, of(tile));
    } else if (op.what == What::sums) {
      op.half_in ? expect_sums<std::uint16_t>(op, from, of(tile)) : expect_sums<std::uint32_t>(op, from, of(tile));
    } else if (stores_matrices(op)) {
      expect_stored(op, from, of(tile));
    } else {
      expect_matrices(op, from, of(tile));
    }
  }
  return out;
}

std::vector<double> slack(const Op& op, int tiles, const Bytes& in) {
  const int each = out_bytes(op) / sum_bytes(op.half_out);
  std::vector<double> out(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(each));
  for_each_sum(op, tiles, in, Rounding::faithful, [&](int tile, int place, const Terms& terms) {
    double sizes = std::fabs(terms.c.value);
    for (int l = 0; l < terms.k; ++l) sizes += std::fabs(terms.a[l].value * terms.b[l].value);
    // The largest term may be one of these or, where the sum is made in two steps, what the first has left.
    const double largest = std::ldexp(1.0, largest_exponent(terms)) + sizes;
    const bool narrow = op.kind.type == Type::e4m3;
    const double unit = op.half_out ? 0x1p-10
                        : narrow    ? 0x1p-13
                                    : 0x1p-23,
                 smallest = op.half_out ? 0x1p-24 : 0x1p-149;
    out[static_cast<std::size_t>(tile * each + place)] =
        2 * (terms.k + 2) * (narrow ? 0x1p-13 : 0x1p-24) * largest + 4 * (unit * sizes + smallest);
  });
  return out;
}

}  // namespace cairn::device_ops
