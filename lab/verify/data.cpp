#include "lab/verify/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cairn/numbers.hpp"
#include "lab/random.hpp"
#include "lab/verify/hard.hpp"
#include "lab/verify/limits.hpp"
#include "lab/workers.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::lab::verify {
namespace {

constexpr std::size_t kGuard = 1024;  // bytes before and after; a multiple of the 256 that buffers are aligned to

Guarded poisoned(Type type, const Stored& matrix, std::int64_t batch, std::int64_t stride, std::int64_t offset) {
  const std::int64_t elements = batch == 0 ? 0 : matrix.span() + (batch - 1) * stride;
  const auto size = static_cast<std::size_t>(size_of(type));
  Guarded g;
  g.type = type;
  g.first = kGuard + static_cast<std::size_t>(offset) * size;
  g.bytes.resize(g.first + static_cast<std::size_t>(elements) * size + kGuard);
  const std::uint64_t poison = poison_bits(type);
  const auto whole = static_cast<std::int64_t>(g.bytes.size() / size);
  cpu::spread(workers_for(whole), whole, [&](int, std::int64_t begin, std::int64_t end) {
    for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at)
      std::memcpy(&g.bytes[at * size], &poison, size);
  });
  return g;
}

template <class T> void put(Guarded& g, std::int64_t index, double value) {
  const T element = static_cast<T>(value);
  std::memcpy(g.matrix() + index * static_cast<std::int64_t>(sizeof(T)), &element, sizeof(T));
}

// Calls f(index) for every element of every matrix of a batch; a shared matrix counts once.
template <class F> void for_each(const Stored& matrix, std::int64_t batch, std::int64_t stride, F&& f) {
  for (std::int64_t b = 0; b < (stride == 0 ? std::min<std::int64_t>(batch, 1) : batch); ++b) {
    for (std::int64_t line = 0; line < matrix.major; ++line) {
      for (std::int64_t place = 0; place < matrix.minor; ++place) {
        f(b * stride + line * matrix.ld + place);
      }
    }
  }
}

// As for_each, on several threads where that is worth it: number(random) for every element, where `random` is at the
// element's place in one stream from which every element takes `draws` numbers. So the data are the same, however
// many threads make them. Numbers are drawn a few at a time, so that they can be converted together.
template <class T, class Number>
void fill_drawn(Guarded& g, const Stored& matrix, std::int64_t batch, std::int64_t stride, const Random& stream,
                int draws, Number&& number) {
  constexpr std::int64_t at_once = 64;
  const std::int64_t lines = matrix.major * (stride == 0 ? std::min<std::int64_t>(batch, 1) : batch);
  cpu::spread(workers_for(lines * matrix.minor), lines, [&](int, std::int64_t begin, std::int64_t end) {
    Random random = stream.after(begin * matrix.minor * draws);
    double drawn[at_once] = {};
    T converted[at_once];
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t first = line / matrix.major * stride + line % matrix.major * matrix.ld;
      for (std::int64_t place = 0; place < matrix.minor; place += at_once) {
        const std::int64_t count = std::min(at_once, matrix.minor - place);
        for (std::int64_t i = 0; i < count; ++i) drawn[i] = number(random);
        for (std::int64_t i = 0; i < at_once; ++i) converted[i] = static_cast<T>(drawn[i]);
        std::memcpy(g.matrix() + (first + place) * static_cast<std::int64_t>(sizeof(T)), converted,
                    static_cast<std::size_t>(count) * sizeof(T));
      }
    }
  });
}

// -max … max without 0, so that no product vanishes by itself. Two draws.
double nonzero_integer(Random& random, std::int64_t max) {
  const auto size = static_cast<double>(random.integer(1, max));
  return random.chance(50) ? size : -size;
}

// Numbers that special data are made of.
struct Unusual {
  double tiny;            // the smallest denormal
  int denormal_bits;      // from there to the smallest normal number, in powers of two
  double largest;         // such that no sum of products overflows in the accumulator
  bool harsh, and_large;  // what is drawn: see unusual()
};

// Half of the seeds draw denormals of every size, so many that some rows have little else. Half of these also draw
// numbers of every other size, which denormals are multiplied by and added to; the others do not, so that denormals
// are not lost in larger sums.
bool is_harsh(const Case& test) { return (test.seed >> 9 & 1) == 0; }
bool has_large(const Case& test) { return is_harsh(test) && (test.seed >> 10 & 1) == 0; }

// The smallest factor that is drawn. TF32 rounds smaller ones to zero, and zero times infinity would be a NaN where
// f32 has an infinity, which is outside of what is promised.
Unusual unusual_factors(const Case& test) {
  const Problem& p = test.problem;
  const Limits l = limits(p.in);
  Unusual kind{l.tiny, l.precision - 1, l.largest, is_harsh(test), has_large(test)};
  if (p.compute == Compute::tf32) kind.tiny = 0x1p-136, kind.denormal_bits = 10;
  if (p.in == Type::f32 || p.in == Type::bf16) kind.largest = 0x1p58;  // 4096 products of two fit f32
  if (p.in == Type::f64) kind.largest = 0x1p500;
  return kind;
}
Unusual unusual_sums(const Case& test) {
  const Limits l = limits(test.problem.out);
  return {l.tiny, l.precision - 1, 1, is_harsh(test), false};
}

// Mostly ordinary numbers; zeros of both signs and denormals among them. NaN and infinities are put in singly
// afterwards: one in every row would make all of C NaN and prove nothing.
double unusual(Random& random, const Unusual& of) {
  const auto kind = random.integer(0, 19);
  if (kind == 0) return 0.0;
  if (kind == 1) return -0.0;
  if (!of.harsh) return kind == 2 ? of.tiny * static_cast<double>(random.integer(1, 5)) : random.real();
  const int tiny = std::ilogb(of.tiny), normal = tiny + of.denormal_bits, large = std::ilogb(of.largest);
  const auto between = [&](int low, int high) {  // any power of two, with any significand and sign
    const auto exponent = static_cast<int>(random.integer(low, high - 1));
    const double size = std::ldexp(1 + std::abs(random.real()), exponent);
    return random.chance(50) ? size : -size;
  };
  if (kind < 8) return between(tiny, normal);
  if (kind < 11 && of.and_large) return between(normal, large);
  if (kind == 11 && of.and_large) return of.largest * random.real();
  return random.real();
}

// Up to two NaN and infinities.
template <class T> void put_specials(Guarded& g, const Stored& matrix, std::int64_t batch, Random& random) {
  if (matrix.span() == 0 || batch == 0) return;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double kinds[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf};
  for (auto left = random.integer(0, 2); left > 0; --left) {
    const std::int64_t line = random.integer(0, matrix.major - 1), place = random.integer(0, matrix.minor - 1);
    put<T>(g, line * matrix.ld + place, random.pick(kinds));
  }
}

template <class T>
void fill_real(Guarded& g, const Stored& matrix, std::int64_t batch, std::int64_t stride, Mode mode,
               const Unusual& kind, Random random) {
  if (mode != Mode::special) {
    fill_drawn<T>(g, matrix, batch, stride, random, 1, [](Random& drawn) { return drawn.real(); });
    return;
  }
  for_each(matrix, batch, stride, [&](std::int64_t index) { put<T>(g, index, unusual(random, kind)); });
  put_specials<T>(g, matrix, batch, random);
}

// A or B, hard to multiply.
template <class T>
void fill_hard(Guarded& g, const Case& test, bool is_b, std::int64_t batch, std::int64_t stride, Random random) {
  const Problem& p = test.problem;
  const Stored matrix = is_b ? p.b() : p.a();
  const bool along = (p.order == Order::row) == ((is_b ? p.op_b : p.op_a) == (is_b ? Op::transpose : Op::none));
  const Hard hard(test);
  std::vector<double> line(static_cast<std::size_t>(p.k));
  for (std::int64_t b = 0; b < (stride == 0 ? std::min<std::int64_t>(batch, 1) : batch); ++b) {
    for (std::int64_t i = 0; i < (is_b ? p.n : p.m); ++i) {
      hard.draw(random, is_b, line);
      for (std::int64_t kk = 0; kk < p.k; ++kk)
        put<T>(g, b * stride + (along ? i * matrix.ld + kk : kk * matrix.ld + i), line[static_cast<std::size_t>(kk)]);
    }
  }
  if (test.mode == Mode::special) put_specials<T>(g, matrix, batch, random);
}

template <class T>
void fill_integers(Guarded& g, const Stored& matrix, std::int64_t batch, std::int64_t stride, std::int64_t max,
                   const Random& random) {
  fill_drawn<T>(g, matrix, batch, stride, random, 2, [max](Random& drawn) { return nonzero_integer(drawn, max); });
}

// A with at most `per_row` entries that are not zero in each row of op(A). Which ones differs from row to row, so
// that every k is used by some row.
template <class T> void fill_sparse(Guarded& g, const Case& test, const ExactRange& range, Random random) {
  const Problem& p = test.problem;
  const Stored a = p.a();
  for_each(a, p.batch, p.stride_a, [&](std::int64_t index) { put<T>(g, index, 0); });
  const bool lines_are_rows = (p.order == Order::row) == (p.op_a == Op::none);
  for (std::int64_t b = 0; b < (p.stride_a == 0 ? 1 : p.batch); ++b) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t left = range.per_row; left > 0; --left) {
        const std::int64_t kk = random.integer(0, p.k - 1);
        const std::int64_t at = lines_are_rows ? i * a.ld + kk : kk * a.ld + i;
        put<T>(g, b * p.stride_a + at, nonzero_integer(random, range.inputs));
      }
    }
  }
}

Stored line(std::int64_t elements) { return {1, elements, std::max<std::int64_t>(elements, 1)}; }

// 1 and -1 where results are exact, else of sizes from 1/8 to 8.
void fill_scales(Guarded& g, std::int64_t elements, std::int64_t batch, std::int64_t stride, bool real,
                 const Random& random) {
  with_type(g.type, [&]<class T>() {
    fill_drawn<T>(g, line(elements), batch, stride, random, 2, [real](Random& drawn) {
      const double size = real ? std::exp2(3 * drawn.real()) : 1;
      return drawn.chance(50) ? size : -size;
    });
  });
}

Stored bias_vector(const Problem& p) { return line(p.bias_elements()); }

// Some groups are empty, and some rows at the end may be in none.
void fill_ends(Guarded& ends, std::int64_t rows, std::int64_t groups, Random random) {
  std::vector<std::int32_t> cuts;
  const std::int64_t last = random.chance(70) ? rows : random.integer(0, rows);
  for (std::int64_t i = 1; i < groups; ++i)
    cuts.push_back(!cuts.empty() && random.chance(25) ? cuts.back()
                                                      : static_cast<std::int32_t>(random.integer(0, last)));
  cuts.push_back(static_cast<std::int32_t>(last));
  std::ranges::sort(cuts);
  std::memcpy(ends.matrix(), cuts.data(), cuts.size() * sizeof(std::int32_t));
}

template <class In, class Out> void fill(Data& d, const Case& test) {
  const Problem& p = test.problem;
  Random seeds(test.seed ^ 0x636169726e646174u);  // not the stream the case itself was drawn from
  const Random for_a(seeds.bits()), for_b(seeds.bits()), for_c(seeds.bits()), for_bias(seeds.bits()),
      for_scale_a(seeds.bits()), for_scale_b(seeds.bits());
  const bool real = test.mode != Mode::exact;
  const ExactRange range = exact_range(test);
  const bool hard = is_hard(test);
  // Inputs that must not be read stay NaN.
  if (test.reads_inputs()) {
    if (hard) {
      fill_hard<In>(d.A, test, false, p.batch, p.stride_a, for_a);
    } else if (real) {
      fill_real<In>(d.A, p.a(), p.batch, p.stride_a, test.mode, unusual_factors(test), for_a);
    } else if (range.per_row < p.k) {
      fill_sparse<In>(d.A, test, range, for_a);
    } else {
      fill_integers<In>(d.A, p.a(), p.batch, p.stride_a, range.inputs, for_a);
    }
    if (test.alias) {
      d.B = d.A;
    } else if (hard) {
      fill_hard<In>(d.B, test, true, p.count_b(), p.stride_b, for_b);
    } else if (real) {
      fill_real<In>(d.B, p.b(), p.count_b(), p.stride_b, test.mode, unusual_factors(test), for_b);
    } else {
      fill_integers<In>(d.B, p.b(), p.count_b(), p.stride_b, range.inputs, for_b);
    }
  }
  if (test.reads_inputs()) {
    fill_scales(d.scale_a, p.scale_a_elements(), p.batch, p.stride_scale_a, real, for_scale_a);
    fill_scales(d.scale_b, p.scale_b_elements(), p.count_b(), p.stride_scale_b, real, for_scale_b);
  }
  if (p.bias != Bias::none) {
    with_type(p.bias_type, [&]<class T>() {
      if (real) {
        fill_real<T>(d.bias, bias_vector(p), p.count_bias(), p.stride_bias, test.mode, unusual_sums(test), for_bias);
      } else {
        fill_integers<T>(d.bias, bias_vector(p), p.count_bias(), p.stride_bias, range.outputs, for_bias);
      }
    });
  }
  if (test.beta == 0) return;
  if (real) {
    fill_real<Out>(d.C, p.c(), p.batch, p.stride_c, test.mode, unusual_sums(test), for_c);
  } else {
    fill_integers<Out>(d.C, p.c(), p.batch, p.stride_c, range.outputs, for_c);
  }
}

}  // namespace

std::uint64_t poison_bits(Type type) {
  switch (type) {
    case Type::f64: return 0x7ff4dead7ff4deadu;  // signalling: arithmetic makes quiet ones
    case Type::f32: return 0x7fa0deadu;
    case Type::f16: return 0x7d5au;
    case Type::bf16: return 0x7fadu;
    case Type::e4m3: break;
  }
  return 0xffu;  // the negative one of the only two; conversions write 0x7f
}

ExactRange exact_range(const Case& test) {
  const Problem& p = test.problem;
  const auto size = [](double scalar) { return std::isnan(scalar) ? 1.0 : std::abs(scalar); };
  const auto whole = [&](double scalar) { return size(scalar) == std::floor(size(scalar)); };
  // With a factor of one half, results are multiples of one half: one bit less above the point.
  const bool halves = !whole(test.alpha) || !whole(test.beta);
  const int bits = std::min(limits(p.out).precision, sum_bits(p)) - (halves ? 1 : 0);
  const std::int64_t limit = std::int64_t{1} << bits;

  ExactRange r;
  r.outputs = std::clamp<std::int64_t>(limit / 4, 1, 8);
  // |alpha| times the sum and |beta| times what C held fit together; neither is above 2.
  const auto times = [&](double scalar) { return static_cast<std::int64_t>(std::ceil(std::max(1.0, size(scalar)))); };
  const std::int64_t bias = p.bias == Bias::none ? 0 : r.outputs;
  const std::int64_t sum = (limit - r.outputs * times(test.beta) - bias) / times(test.alpha);
  r.inputs = 8;
  while (r.inputs > 1 && p.k > sum / (r.inputs * r.inputs)) --r.inputs;
  r.per_row = std::min(p.k, sum / (r.inputs * r.inputs));
  return r;
}

Data make_data(const Case& test) {
  const Problem& p = test.problem;
  Data d;
  d.A = poisoned(p.in, p.a(), p.batch, p.stride_a, test.offset_a);
  d.B = poisoned(p.in, p.b(), p.count_b(), p.stride_b, test.offset_b);
  d.C = poisoned(p.out, p.c(), p.batch, p.stride_c, test.offset_c);
  const std::int64_t biased = p.bias == Bias::none ? 0 : p.count_bias(),
                     stored = p.before == Before::none ? 0 : p.batch;
  d.bias = poisoned(p.bias_type, bias_vector(p), biased, p.stride_bias, test.offset_bias);
  d.before = poisoned(p.out, p.c(), stored, p.stride_c, test.offset_before);
  const auto scales = [&](std::int64_t elements, std::int64_t count, std::int64_t stride, std::int64_t offset) {
    return poisoned(accumulator(p.in), line(elements), elements == 0 ? 0 : count, stride, offset);
  };
  d.scale_a = scales(p.scale_a_elements(), p.batch, p.stride_scale_a, test.offset_scale_a);
  d.scale_b = scales(p.scale_b_elements(), p.count_b(), p.stride_scale_b, test.offset_scale_b);
  d.ends = poisoned(Type::f32, line(p.groups), p.is_grouped() ? 1 : 0, 0, 0);
  if (p.is_grouped()) fill_ends(d.ends, p.m, p.groups, Random(test.seed ^ 0x656e6473u));
  with_type(p.in, [&]<class In>() { with_type(p.out, [&]<class Out>() { fill<In, Out>(d, test); }); });
  return d;
}

}  // namespace cairn::lab::verify
