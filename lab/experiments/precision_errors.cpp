#include "lab/experiments/precision_errors.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "cairn/numbers.hpp"
#include "lab/exit.hpp"
#include "lab/workers.hpp"
#include "src/cpu/reference.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::lab {
namespace {

// The nearest TF32, ties away from zero; x is finite and not next to the largest.
float to_tf32(float x) { return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & 0xffffe000u); }

Operand as_multiplied(const std::vector<float>& numbers, const Problem& p) {
  Operand out;
  const auto count = static_cast<std::int64_t>(numbers.size());
  std::atomic<bool> finite = true;
  with_type(p.in, [&]<class T>() {
    out.stored.resize(numbers.size() * sizeof(T));
    if (p.compute == Compute::tf32) out.rounded.resize(out.stored.size());
    auto* stored = reinterpret_cast<T*>(out.stored.data());
    auto* rounded = reinterpret_cast<T*>(out.rounded.data());
    cpu::spread(workers_for(count), count, [&](int, std::int64_t begin, std::int64_t end) {
      bool all = true;
      for (std::int64_t i = begin; i < end; ++i) {
        const float x = numbers[static_cast<std::size_t>(i)];
        stored[i] = static_cast<T>(x);
        if (rounded != nullptr) rounded[i] = static_cast<T>(to_tf32(x));
        all = all && std::isfinite(static_cast<double>(stored[i]));
      }
      if (!all) finite = false;
    });
  });
  out.finite = finite;
  return out;
}

// A B, exactly, or the sums of |a||b|; rows are divided among threads.
std::vector<double> product(const Problem& p, const void* A, const void* B, bool magnitudes = false) {
  const auto count = static_cast<std::size_t>(p.m * p.n);
  std::vector<double> hi(count), lo(count);
  cpu::spread(workers_for(p.m * p.n * p.k), p.m, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    Problem rows = p;
    rows.m = end - begin;
    const Call call{rows, 1, static_cast<const std::byte*>(A) + begin * p.lda * size_of(p.in), B, 0, nullptr};
    if (magnitudes) {
      cpu::magnitude(call, hi.data() + begin * p.n);
    } else {
      cpu::exact(call, hi.data() + begin * p.n, lo.data() + begin * p.n);
    }
  });
  return hi;
}

// `rows` rows of `size` bytes each, evenly spread over the m of a matrix.
std::vector<std::byte> some_rows(const void* from, std::int64_t m, std::int64_t size, std::int64_t rows) {
  std::vector<std::byte> out(static_cast<std::size_t>(rows * size));
  for (std::int64_t i = 0; i < rows; ++i)
    std::memcpy(out.data() + i * size, static_cast<const std::byte*>(from) + i * m / rows * size,
                static_cast<std::size_t>(size));
  return out;
}

// The product of those rows with B.
std::vector<double> product_of_rows(Problem p, std::int64_t rows, const void* A, const void* B,
                                    bool magnitudes = false) {
  const auto some = some_rows(A, p.m, p.k * size_of(p.in), rows);
  p.m = rows;
  return product(p, some.data(), B, magnitudes);
}

std::vector<float> multiply(Contender& contender, const Problem& p, const Operand& A, const Operand& B,
                            std::int64_t rows) {
  const auto& machine = contender.machine();
  std::vector<float> C(static_cast<std::size_t>(p.m * p.n)), some(static_cast<std::size_t>(rows * p.n));
  runtime::Buffer a, b, c;
  expect(runtime::Buffer::make(machine, A.stored.size(), a));
  expect(runtime::Buffer::make(machine, B.stored.size(), b));
  expect(runtime::Buffer::make(machine, C.size() * sizeof(float), c));
  expect(machine->copy_in(a.data(), A.stored.data(), A.stored.size(), nullptr));
  expect(machine->copy_in(b.data(), B.stored.data(), B.stored.size(), nullptr));
  expect(contender.prepare(p));
  expect(contender.run({p, 1, a.data(), b.data(), 0, c.data()}, nullptr));
  expect(machine->synchronize(nullptr));
  expect(machine->copy_out(C.data(), c.data(), c.bytes(), nullptr));
  expect(machine->synchronize(nullptr));
  const auto bytes = some_rows(C.data(), p.m, p.n * static_cast<std::int64_t>(sizeof(float)), rows);
  std::memcpy(some.data(), bytes.data(), bytes.size());
  return some;
}

// |x - y| in the Frobenius norm; without y |x|.
template <class X> double distance(std::span<const X> x, std::span<const double> y = {}) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = static_cast<double>(x[i]) - (y.empty() ? 0 : y[i]);
    sum += d * d;
  }
  return std::sqrt(sum);
}
template <class X> double distance(const std::vector<X>& x, const std::vector<double>& y = {}) {
  return distance(std::span<const X>(x), std::span<const double>(y));
}

}  // namespace

Drawn draw_and_multiply(const Numbers& numbers, const Shape& shape, std::int64_t rows, std::uint64_t seed) {
  const auto& [m, n, k] = shape;
  Drawn out;
  out.factors = draw(numbers, m, n, k, seed);
  out.rows = std::min(m, rows);
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, m, n, k);
  const float *A = out.factors.A.data(), *B = out.factors.B.data();
  out.exact = product_of_rows(p, out.rows, A, B);
  out.magnitude = product_of_rows(p, out.rows, A, B, true);
  out.norm = distance(out.exact);
  return out;
}

Stored store(const Problem& p, const Drawn& drawn) {
  Stored out{
      p.in, p.compute == Compute::tf32, as_multiplied(drawn.factors.A, p), as_multiplied(drawn.factors.B, p), {}};
  if ((p.in != Type::f32 || out.tf32) && out.A.finite && out.B.finite)
    out.product = product_of_rows(p, drawn.rows, out.A.multiplied(), out.B.multiplied());
  return out;
}

Erring measure_errors(Contender& contender, const Problem& p, const Drawn& drawn, const Stored& stored) {
  const std::vector<float> C = multiply(contender, p, stored.A, stored.B, drawn.rows);
  const bool rounds = !stored.product.empty();
  Erring out;
  out.error = distance(C, drawn.exact) / drawn.norm;
  out.factors = rounds ? distance(stored.product, drawn.exact) / drawn.norm : 0;
  out.sums = rounds ? distance(C, stored.product) / drawn.norm : out.error;
  for (std::size_t i = 0; i < C.size(); ++i)
    out.largest = std::max(out.largest, std::abs(static_cast<double>(C[i]) - drawn.exact[i]) / drawn.magnitude[i]);
  const auto n = static_cast<std::size_t>(p.n);
  for (std::size_t from = 0; from < C.size(); from += n) {
    const auto exact = std::span(drawn.exact).subspan(from, n);
    const double error = distance(std::span(C).subspan(from, n), exact) / distance(exact);
    if (!(error <= out.rowwise) && !std::isnan(out.rowwise)) out.rowwise = error;
  }
  return out;
}

}  // namespace cairn::lab
