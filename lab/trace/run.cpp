#include "lab/trace/run.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "lab/exit.hpp"

#ifdef CAIRN_HAVE_TRACED
#include "cairn/numbers.hpp"
#include "kernels/ladder.hpp"
#include "lab/random.hpp"
#include "lab/verify/limits.hpp"
#include "src/dispatch/candidate.hpp"
#include "src/dispatch/normalize.hpp"
#endif

namespace cairn::lab::trace {

#ifdef CAIRN_HAVE_TRACED
namespace {

constexpr std::int64_t kMostChecked = std::int64_t{1} << 24;  // products; the plain loop takes a moment for those

const Rung* find(const std::string& id) {
  std::size_t count = 0;
  const auto* first = static_cast<const Rung* const*>(cairn_emu_traced()->emulator.ladder(&count));
  const Ladder ladder(first, count);
  const auto found = std::ranges::find_if(ladder, [&](const Rung* rung) { return rung->id == id; });
  return found == ladder.end() ? nullptr : *found;
}

// The matrices of a batch on the traced device and, as doubles, on the host.
class Matrix {
 public:
  Matrix(Type type, const Stored& stored, std::int64_t batch = 1, std::int64_t stride = 0)
      : type_(type),
        stride_(stride),
        bytes_(static_cast<std::size_t>(((batch - 1) * stride + stored.span()) * size_of(type))) {
    expect(cairn_emu_traced()->emulator.allocate(std::max<std::size_t>(bytes_, 1), &device_));
  }
  ~Matrix() { (void)cairn_emu_traced()->emulator.free(device_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // Small integers: every sum of products is exact whatever the order.
  void draw(std::uint64_t seed) {
    values_.resize(bytes_ / static_cast<std::size_t>(size_of(type_)));
    Random random(seed);
    for (double& value : values_) value = static_cast<double>(random.integer(-2, 2));
    with_type(type_, [&]<class T>() {
      std::vector<T> elements;
      elements.reserve(values_.size());
      for (const double value : values_) elements.push_back(static_cast<T>(value));
      expect(cairn_emu_traced()->emulator.copy_in(device_, elements.data(), bytes_));
    });
  }

  Status fetch() {
    values_.clear();
    return with_type(type_, [&]<class T>() -> Status {
      std::vector<T> elements(bytes_ / sizeof(T));
      if (auto s = cairn_emu_traced()->emulator.copy_out(elements.data(), device_, bytes_); !s.ok()) return s;
      for (const T& element : elements) values_.push_back(static_cast<double>(element));
      return {};
    });
  }

  void* device() const { return device_; }
  std::size_t bytes() const { return bytes_; }
  std::span<std::byte> memory() const { return {static_cast<std::byte*>(device_), bytes_}; }
  const std::vector<double>& values() const { return values_; }
  double at(std::int64_t batch, std::int64_t row, std::int64_t col, std::int64_t ld, Op op = Op::none) const {
    return values_[static_cast<std::size_t>(batch * stride_ + (op == Op::none ? row * ld + col : col * ld + row))];
  }

 private:
  Type type_;
  std::int64_t stride_;
  std::size_t bytes_;
  void* device_ = nullptr;
  std::vector<double> values_;
};

// Rounded once, as a kernel with exact sums rounds.
double rounded(Type type, double value) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<T>(value)); });
}

// With scalars that are not exact, how far the result may be from `should`: alpha times the sum, beta times C and their
// sum are rounded, each to the accumulator or to C.
double allowed(const Scalars& scalars, Type out, double magnitude) {
  return scalars.are_exact() ? 0 : 4 * verify::limits(out).unit * magnitude;
}

std::string wrong(const Problem& p, RungKind kind, const Matrix& A, const Matrix& B, Matrix& C, const Scalars& s) {
  const bool moves = kind == RungKind::transpose || kind == RungKind::copy;
  if (kind == RungKind::probe || (!moves && p.m * p.n * p.k > kMostChecked / p.batch)) return "";
  const std::vector<double> before = C.values();
  if (auto status = C.fetch(); !status.ok()) return status.message();
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        double sum = moves ? A.at(b, i, j, p.lda, p.op_a) : 0;
        for (std::int64_t k = 0; k < p.k && !moves; ++k)
          sum += A.at(b, i, k, p.lda, p.op_a) * B.at(b, k, j, p.ldb, p.op_b);
        const double added =
            s.beta == 0 ? 0 : s.beta * before[static_cast<std::size_t>(b * p.stride_c + i * p.ldc + j)];
        const double should = rounded(p.out, s.alpha * sum + added), is = C.at(b, i, j, p.ldc);
        if (is != should && !(std::abs(is - should) <= allowed(s, p.out, std::abs(s.alpha * sum) + std::abs(added))))
          return fmt::format("C({}, {}){} is {}; it should be {}", i, j,
                             p.batch > 1 ? fmt::format(" of product {}", b) : "", is, should);
      }
    }
  }
  return "";
}

// A probe's result means nothing, and it may write as little of it as it likes. What lies between the rows of C,
// where ldc is more than n, is not C.
void look_for_unwritten(const Matrix& C, const Rung& rung, const Problem& p, emu::Trace& trace) {
  if (rung.kind == RungKind::probe) return;
  const auto size = static_cast<std::uint64_t>(size_of(p.out));
  std::uint64_t missing = 0;
  std::int64_t first_row = 0;
  std::uint64_t first_col = 0;
  for (std::int64_t line = 0; line < p.m * p.batch; ++line) {
    std::uint64_t first = 0;
    const std::int64_t row = line % p.m, element = line / p.m * p.stride_c + row * p.ldc;
    const auto* start = static_cast<const std::byte*>(C.device()) + static_cast<std::uint64_t>(element) * size;
    const std::uint64_t bytes = cairn_emu_traced()->unwritten(start, static_cast<std::size_t>(p.n) * size, &first);
    if (bytes == 0) continue;
    if (missing == 0) first_row = row, first_col = first / size;
    missing += (bytes + size - 1) / size;
  }
  if (missing == 0) return;
  emu::Finding finding;
  finding.fault = emu::Fault::unwritten;
  finding.kernel = trace.kernels.empty() ? "" : trace.kernels.back().name;
  finding.what = fmt::format("{} of the {} elements of C were never written; the first is C({}, {})", missing,
                             p.m * p.n * p.batch, first_row, first_col);
  finding.times = 1;
  trace.findings.push_back(finding);
}

}  // namespace

bool available() { return true; }

Traced trace_rung(const std::string& id, int tile, const Problem& problem, std::uint64_t seed, bool detectors,
                  const Scalars& scalars) {
  const Rung* rung = find(id);
  if (rung == nullptr) throw Error(kUsage, fmt::format("the traced ladder has no rung '{}'", id));
  const emu::TracedEntry& traced = *cairn_emu_traced();
  const Problem row = dispatch::to_row(problem);

  Traced result{tile == 0 ? id : fmt::format("{}@{}", id, tile), problem, seed, {}, "", {}, {}, scalars};
  const Scalars used{dispatch::rounded_scalar(scalars.alpha, row.in), dispatch::rounded_scalar(scalars.beta, row.in)};
  traced.emulator.configure({.seed = seed});
  Matrix A(row.in, row.a(), row.batch, row.stride_a), B(row.in, row.b(), row.batch, row.stride_b),
      C(row.out, row.c(), row.batch, row.stride_c);
  A.draw(seed), B.draw(~seed);
  if (used.beta != 0) C.draw(seed + 1);
  const emu::DeviceFacts facts = traced.emulator.facts();
  const dispatch::Candidate candidate = dispatch::candidate(*rung, row, {facts.arch, facts.sms}, tile);
  const auto words = static_cast<std::int64_t>(candidate.choice.scratch_bytes / sizeof(float));
  const Matrix scratch(Type::f32, {1, words, words});
  traced.begin({.detectors = detectors});
  const RungArgs args{row, used.alpha, A.device(), B.device(), used.beta, C.device(), facts.sms, scratch.memory()};
  Status status = dispatch::launch(candidate, args, nullptr);
  const Status late = traced.emulator.take_error();
  if (status.ok()) status = late;
  traced.take(result.trace);
  if (!status.ok()) {
    result.failure = status.message();
    return result;  // what a failed launch left undone is no finding of its own
  }
  if (detectors && used.beta == 0) look_for_unwritten(C, *rung, row, result.trace);
  result.failure = wrong(row, rung->kind, A, B, C, used);
  return result;
}

#else

bool available() { return false; }

Traced trace_rung(const std::string&, int, const Problem&, std::uint64_t, bool, const Scalars&) {
  throw Error(kLacking, "this build has no traced emulator");
}

#endif

Traced trace_contender(const std::string& id, const Problem& problem, std::uint64_t seed, bool detectors,
                       const Scalars& scalars) {
  const std::size_t at = std::min(id.find('@'), id.size());
  int tile = 0;
  if (at < id.size()) (void)std::from_chars(id.data() + at + 1, id.data() + id.size(), tile);
  return trace_rung(id.substr(0, at), tile, problem, seed, detectors, scalars);
}

}  // namespace cairn::lab::trace
