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
#include "lab/measure/inputs.hpp"
#include "lab/random.hpp"
#include "lab/verify/case.hpp"
#include "lab/verify/limits.hpp"
#include "src/cpu/backend.hpp"
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

// The matrices of a batch on the traced device and on the host, there as doubles too.
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
    host_.resize(bytes_);
    with_type(type_, [&]<class T>() {
      auto* element = reinterpret_cast<T*>(host_.data());
      for (const double value : values_) *element++ = static_cast<T>(value);
    });
    expect(cairn_emu_traced()->emulator.copy_in(device_, host_.data(), bytes_));
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
  const std::byte* host() const { return host_.data(); }  // as it was drawn
  double at(std::int64_t batch, std::int64_t row, std::int64_t col, std::int64_t ld, Op op = Op::none) const {
    return values_[static_cast<std::size_t>(batch * stride_ + (op == Op::none ? row * ld + col : col * ld + row))];
  }

 private:
  Type type_;
  std::int64_t stride_;
  std::size_t bytes_;
  void* device_ = nullptr;
  std::vector<double> values_;
  std::vector<std::byte> host_;
};

// What a problem may ask for beside A, B and C; empty where it does not.
struct Extras {
  Matrix bias, before, scale_a, scale_b;
  Matrix ends;  // of groups, as many bytes as f32
  std::vector<std::byte> host_ends;

  Extras(const Problem& p, std::uint64_t seed)
      : bias(p.bias_type, line(p.bias_elements()), p.count_bias(), p.stride_bias),
        before(p.out, p.before == Before::stored ? p.c() : line(0), p.batch,
               p.before == Before::stored ? p.stride_c : 0),
        scale_a(accumulator(p.in), line(p.scale_a_elements()), p.batch, p.stride_scale_a),
        scale_b(accumulator(p.in), line(p.scale_b_elements()), p.count_b(), p.stride_scale_b),
        ends(Type::f32, line(p.groups)) {
    bias.draw(seed + 2), scale_a.draw(seed + 3), scale_b.draw(seed + 4);
    if (!p.is_grouped()) return;
    host_ends = measure::drawn_ends(p.m, p.groups, seed + 5);
    expect(cairn_emu_traced()->emulator.copy_in(ends.device(), host_ends.data(), host_ends.size()));
  }

 private:
  static Stored line(std::int64_t elements) { return {1, elements, std::max<std::int64_t>(elements, 1)}; }
};

// How far a result may be from `should`. With scalars that are not exact, alpha times the sum, beta times C and their sum
// are rounded, each to the accumulator or to C; an activation that is not exact has an error of its own.
double allowed(const Problem& p, const Scalars& scalars, double should, double before, double added) {
  const double unit = verify::limits(p.out).unit, acc = verify::limits(accumulator(p.in)).unit;
  return (scalars.are_exact() ? 0 : 4 * unit * (std::abs(before) + 2 * std::abs(added))) +
         (verify::is_exact(p.activation) ? 0 : unit * std::abs(should) + 12 * acc * std::abs(before));
}

// A move of A, or what cpu/reference makes of the same numbers.
std::string wrong(const Problem& p, RungKind kind, const Matrix& A, const Matrix& B, Matrix& C, const Extras& extras,
                  const Scalars& s) {
  const bool moves = kind == RungKind::transpose || kind == RungKind::copy;
  if (kind == RungKind::probe || (!moves && p.m * p.n * p.k > kMostChecked / p.batch)) return "";
  std::vector<std::byte> right(C.bytes()), before(C.bytes());
  if (s.beta != 0) right.assign(C.host(), C.host() + C.bytes());
  const std::vector<std::byte> added = right;
  if (!moves) {
    Call call{p, s.alpha, A.host(), B.host(), s.beta, right.data()};
    if (p.activation != Activation::none) call.problem.before = Before::stored;
    call.bias = extras.bias.host(), call.before = before.data();
    call.scale_a = extras.scale_a.host(), call.scale_b = extras.scale_b.host();
    call.ends = reinterpret_cast<const std::int32_t*>(extras.host_ends.data());
    std::vector<std::byte> workspace(cpu::reference.workspace(p));
    if (auto status = cpu::reference.run(call, workspace); !status.ok()) return status.message();
  }
  if (auto status = C.fetch(); !status.ok()) return status.message();
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        const std::int64_t at = b * p.stride_c + i * p.ldc + j;
        const auto number = [&](const std::vector<std::byte>& from) {
          return with_type(
              p.out, [&]<class T>() { return static_cast<double>(reinterpret_cast<const T*>(from.data())[at]); });
        };
        const double should = moves ? A.at(b, i, j, p.lda, p.op_a) : number(right), is = C.at(b, i, j, p.ldc);
        const double argument = p.activation == Activation::none ? should : number(before);
        if (is != should && !(std::abs(is - should) <= allowed(p, s, should, argument, s.beta * number(added))))
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

Traced trace_rung(const std::string& id, int tile, const Problem& problem, std::uint64_t seed,
                  const emu::TraceSettings& settings, const Scalars& scalars) {
  const Rung* rung = find(id);
  if (rung == nullptr) throw Error(kUsage, fmt::format("the traced ladder has no rung '{}'", id));
  const emu::TracedEntry& traced = *cairn_emu_traced();
  const Problem row = dispatch::to_row(problem);

  Traced result{tile == 0 ? id : fmt::format("{}@{}", id, tile), problem, seed, {}, "", {}, {}, scalars};
  const Scalars used{dispatch::rounded_scalar(scalars.alpha, row.in), dispatch::rounded_scalar(scalars.beta, row.in)};
  traced.emulator.configure({.seed = seed});
  Matrix A(row.in, row.a(), row.batch, row.stride_a), B(row.in, row.b(), row.count_b(), row.stride_b),
      C(row.out, row.c(), row.batch, row.stride_c);
  A.draw(seed), B.draw(~seed);
  if (used.beta != 0) C.draw(seed + 1);
  const Extras extras(row, seed);
  const emu::DeviceFacts facts = traced.emulator.facts();
  const dispatch::Candidate candidate = dispatch::candidate(*rung, row, {facts.arch, facts.sms}, tile);
  const auto words = static_cast<std::int64_t>(candidate.choice.scratch_bytes / sizeof(float));
  const Matrix scratch(Type::f32, {1, words, words});
  traced.begin(settings);
  RungArgs args{row, used.alpha, A.device(), B.device(), used.beta, C.device(), facts.sms, scratch.memory()};
  args.bias = extras.bias.device(), args.before = extras.before.device();
  args.scale_a = extras.scale_a.device(), args.scale_b = extras.scale_b.device();
  args.ends = static_cast<const std::int32_t*>(extras.ends.device());
  Status status = dispatch::launch(candidate, args, nullptr);
  const Status late = traced.emulator.take_error();
  if (status.ok()) status = late;
  traced.take(result.trace);
  if (!status.ok()) {
    result.failure = status.message();
    return result;  // what a failed launch left undone is no finding of its own
  }
  if (settings.detectors && used.beta == 0) look_for_unwritten(C, *rung, row, result.trace);
  result.failure = wrong(row, rung->kind, A, B, C, extras, used);
  return result;
}

#else

bool available() { return false; }

Traced trace_rung(const std::string&, int, const Problem&, std::uint64_t, const emu::TraceSettings&, const Scalars&) {
  throw Error(kLacking, "this build has no traced emulator");
}

#endif

Traced trace_contender(const std::string& id, const Problem& problem, std::uint64_t seed,
                       const emu::TraceSettings& settings, const Scalars& scalars) {
  const std::size_t at = std::min(id.find('@'), id.size());
  int tile = 0;
  if (at < id.size()) (void)std::from_chars(id.data() + at + 1, id.data() + id.size(), tile);
  return trace_rung(id.substr(0, at), tile, problem, seed, settings, scalars);
}

}  // namespace cairn::lab::trace
