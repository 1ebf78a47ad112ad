#include "lab/trace/run.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "lab/exit.hpp"

#ifdef CAIRN_HAVE_TRACED
#include "cairn/numbers.hpp"
#include "kernels/ladder.hpp"
#include "lab/random.hpp"
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

// A matrix on the traced device and, as doubles, on the host.
class Matrix {
 public:
  Matrix(Type type, const Stored& stored)
      : type_(type), bytes_(static_cast<std::size_t>(stored.span() * size_of(type))) {
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
  double at(std::int64_t row, std::int64_t col, std::int64_t ld, Op op = Op::none) const {
    return values_[static_cast<std::size_t>(op == Op::none ? row * ld + col : col * ld + row)];
  }

 private:
  Type type_;
  std::size_t bytes_;
  void* device_ = nullptr;
  std::vector<double> values_;
};

// Rounded once, as a kernel with exact sums rounds.
double rounded(Type type, double value) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<T>(value)); });
}

std::string wrong(const Problem& p, RungKind kind, const Matrix& A, const Matrix& B, Matrix& C) {
  const bool moves = kind == RungKind::transpose || kind == RungKind::copy;
  if (kind == RungKind::probe || (!moves && p.m * p.n * p.k > kMostChecked)) return "";
  if (auto s = C.fetch(); !s.ok()) return s.message();
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = moves ? A.at(i, j, p.lda, p.op_a) : 0;
      for (std::int64_t k = 0; k < p.k && !moves; ++k) sum += A.at(i, k, p.lda, p.op_a) * B.at(k, j, p.ldb, p.op_b);
      const double should = rounded(p.out, sum), is = C.at(i, j, p.ldc);
      if (is != should) return fmt::format("C({}, {}) is {}; it should be {}", i, j, is, should);
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
  for (std::int64_t row = 0; row < p.m; ++row) {
    std::uint64_t first = 0;
    const auto* start = static_cast<const std::byte*>(C.device()) + static_cast<std::uint64_t>(row * p.ldc) * size;
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
                             p.m * p.n, first_row, first_col);
  finding.times = 1;
  trace.findings.push_back(finding);
}

}  // namespace

bool available() { return true; }

Traced trace_rung(const std::string& id, int tile, const Problem& problem, std::uint64_t seed, bool detectors) {
  const Rung* rung = find(id);
  if (rung == nullptr) throw Error(kUsage, fmt::format("the traced ladder has no rung '{}'", id));
  const emu::TracedEntry& traced = *cairn_emu_traced();
  const Problem row = dispatch::to_row(problem);

  Traced result{tile == 0 ? id : fmt::format("{}@{}", id, tile), problem, seed, {}, ""};
  traced.emulator.configure({.seed = seed});
  Matrix A(row.in, row.a()), B(row.in, row.b()), C(row.out, row.c());
  A.draw(seed), B.draw(~seed);
  const emu::DeviceFacts facts = traced.emulator.facts();
  const Choice choice = dispatch::candidate(*rung, row, {facts.arch, facts.sms}, tile).choice;
  const auto words = static_cast<std::int64_t>(choice.scratch_bytes / sizeof(float));
  const Matrix scratch(Type::f32, {1, words, words});
  traced.begin({.detectors = detectors});
  const RungArgs args{row, 1, A.device(), B.device(), 0, C.device(), facts.sms, scratch.memory(), &choice};
  Status status = rung->launch(args, tile, nullptr);
  const Status late = traced.emulator.take_error();
  if (status.ok()) status = late;
  traced.take(result.trace);
  if (!status.ok()) {
    result.failure = status.message();
    return result;  // what a failed launch left undone is no finding of its own
  }
  if (detectors) look_for_unwritten(C, *rung, row, result.trace);
  result.failure = wrong(row, rung->kind, A, B, C);
  return result;
}

#else

bool available() { return false; }

Traced trace_rung(const std::string&, int, const Problem&, std::uint64_t, bool) {
  throw Error(kLacking, "this build has no traced emulator");
}

#endif

Traced trace_contender(const std::string& id, const Problem& problem, std::uint64_t seed, bool detectors) {
  const std::size_t at = std::min(id.find('@'), id.size());
  int tile = 0;
  if (at < id.size()) (void)std::from_chars(id.data() + at + 1, id.data() + id.size(), tile);
  return trace_rung(id.substr(0, at), tile, problem, seed, detectors);
}

}  // namespace cairn::lab::trace
