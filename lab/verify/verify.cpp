#include "lab/verify/verify.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/verify/bound.hpp"
#include "lab/verify/data.hpp"
#include "lab/verify/move.hpp"
#include "src/dispatch/check.hpp"

namespace cairn::lab::verify {
namespace {

constexpr std::size_t kKeptFailures = 5;

Verdict failed(std::string what) { return {Outcome::failed, std::move(what), 0, 0}; }

Verdict error(const char* doing, const Status& status) {
  return failed(fmt::format("{}: {}: {}", doing, name(status.code()), status.message()));
}

}  // namespace

// The numbers of a case, on the host before and after a run, what C must be, and the operands on the machine.
class Trial::Placed {
 public:
  Placed(const Case& test, Work work)
      : before(work == Work::move ? moving_data(test) : make_data(test)), after(before) {}

  Status open(const std::shared_ptr<runtime::Machine>& machine) {
    machine_ = machine;
    const Guarded* host[] = {&before.A,      &before.B,       &before.C,       &before.bias,
                             &before.before, &before.scale_a, &before.scale_b, &before.ends};
    for (int i = 0; i < kOperands; ++i) {
      const auto& bytes = host[i]->bytes;
      if (auto s = runtime::Buffer::make(machine, bytes.size(), buffers_[i]); !s.ok()) return s;
      if (auto s = machine->copy_in(buffers_[i].data(), bytes.data(), bytes.size(), nullptr); !s.ok()) return s;
    }
    return machine->synchronize(nullptr);
  }
  // Restores what is written as it was before a run.
  Status reset() {
    for (const auto& [i, was] : {std::pair(2, &before.C), std::pair(4, &before.before)}) {
      const auto& bytes = was->bytes;
      if (auto s = machine_->copy_in(buffers_[i].data(), bytes.data(), bytes.size(), nullptr); !s.ok()) return s;
    }
    return {};
  }
  // Runs the call and reads everything back.
  Status run(Contender& contender, const Call& call) {
    if (auto s = contender.run(call, nullptr); !s.ok()) return s;
    if (auto s = machine_->synchronize(nullptr); !s.ok()) return s;
    Guarded* host[] = {&after.A,      &after.B,       &after.C,       &after.bias,
                       &after.before, &after.scale_a, &after.scale_b, &after.ends};
    for (int i = 0; i < kOperands; ++i) {
      auto& bytes = host[i]->bytes;
      if (auto s = machine_->copy_out(bytes.data(), buffers_[i].data(), bytes.size(), nullptr); !s.ok()) return s;
    }
    return machine_->synchronize(nullptr);
  }
  Call call(const Case& test) const {
    Call c{test.problem, test.alpha, at(0, before.A), at(test.alias ? 0 : 1, before.B), test.beta, at(2, before.C)};
    if (test.null_inputs) c.A = c.B = nullptr;
    if (test.problem.bias != Bias::none) c.bias = at(3, before.bias);
    if (test.problem.before == Before::stored) c.before = at(4, before.before);
    if (test.problem.is_grouped()) c.ends = static_cast<const std::int32_t*>(at(7, before.ends));
    if (test.null_inputs) return c;
    if (test.problem.scale_a != Scale::none) c.scale_a = at(5, before.scale_a);
    if (test.problem.scale_b != Scale::none) c.scale_b = at(6, before.scale_b);
    return c;
  }

  Data before, after;
  Oracle oracle;

 private:
  void* at(int i, const Guarded& g) const { return static_cast<std::byte*>(buffers_[i].data()) + g.first; }

  std::shared_ptr<runtime::Machine> machine_;
  static constexpr int kOperands = 8;
  runtime::Buffer buffers_[kOperands];
};

Trial::Trial(std::shared_ptr<runtime::Machine> machine, const Case& test, Work work)
    : machine_(std::move(machine)), test_(test), work_(work) {}
Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;

Verdict Trial::of(Contender& contender) {
  if (auto s = dispatch::check(test_.problem); !s.ok()) return error("a case that breaks the library's rules", s);
  if (auto reason = contender.refuses(test_.problem); !reason.empty()) {
    return {Outcome::refused, std::move(reason), 0, 0};
  }
  if (work_ == Work::probe)
    return {Outcome::refused, "a probe measures a hardware ceiling; it has no result to verify", 0, 0};
  if (placed_ == nullptr) {
    placed_ = std::make_unique<Placed>(test_, work_);
    if (auto s = placed_->open(machine_); !s.ok()) {
      placed_.reset();
      return error("placing the matrices", s);
    }
  } else if (auto s = placed_->reset(); !s.ok()) {
    return error("resetting C", s);
  }
  Verdict verdict = run(contender);
  // A contender that failed may have written anywhere, so the next one gets fresh data.
  if (verdict.outcome == Outcome::failed) placed_.reset();
  return verdict;
}

Verdict Trial::run(Contender& contender) {
  if (auto s = contender.prepare(test_.problem); !s.ok()) return error("preparing", s);
  const Call call = placed_->call(test_);
  if (auto s = placed_->run(contender, call); !s.ok()) return error("running", s);
  const Data &before = placed_->before, &after = placed_->after;
  Case judged = test_;
  judged.activation_error = contender.activation_error(test_.problem);
  judged.scales_factors = scales_factors(contender.id(), test_.problem);
  Verdict verdict =
      work_ == Work::move ? judge_move(test_, before, after) : judge(judged, before, after, placed_->oracle);
  if (verdict.outcome != Outcome::passed) return verdict;

  if (test_.mode == Mode::rounding && !test_.problem.has_epilogue()) {
    const double healthy = healthy_ratio(contender.id(), test_.problem);
    if (healthy > 0 && verdict.ratio > kWorseThanHealthy * healthy) {
      return failed(
          fmt::format("error / bound is {:.3g}, more than ten times the healthy ratio of {} for this k, {:.3g} "
                      "(lab/verify/healthy.cpp)",
                      verdict.ratio, contender.id(), healthy));
    }
  }

  // The same call again must give the same bits. One case in four, to spend the time on more cases.
  if (test_.seed % 4 == 0) {
    const std::vector<std::byte> first = after.C.bytes, first_before = after.before.bytes;
    if (auto s = placed_->reset(); !s.ok()) return error("resetting C", s);
    if (auto s = placed_->run(contender, call); !s.ok()) return error("running again", s);
    if (after.C.bytes != first || after.before.bytes != first_before)
      return failed("the same call gave other bits the second time");
  }
  return verdict;
}

Verdict check(Contender& contender, const Case& test) {
  return Trial(contender.machine(), test, contender.work()).of(contender);
}

void Tally::add(const Case& test, const Verdict& verdict, const std::string& flags) {
  ++cases;
  if (verdict.outcome == Outcome::refused) {
    ++refused;
    return;
  }
  const Problem& p = test.problem;
  ++(test.mode == Mode::exact ? exact : test.mode == Mode::rounding ? rounding : special);
  const auto is_edge = [](std::int64_t size) { return size % 32 != 0; };
  const auto is_offset = [](std::int64_t elements, Type type) { return elements * size_of(type) % 16 != 0; };
  edges += is_edge(p.m) || is_edge(p.n) || is_edge(p.k);
  padded += p.lda > p.a().min_ld() || p.ldb > p.b().min_ld() || p.ldc > p.c().min_ld();
  offset += is_offset(test.offset_a, p.in) || is_offset(test.offset_b, p.in) || is_offset(test.offset_c, p.out);
  nan_in_c += test.beta == 0 && p.m > 0 && p.n > 0 && p.batch > 0;
  k_zero += p.k == 0;
  empty += p.m == 0 || p.n == 0 || p.batch == 0;
  batched += p.batch > 1;
  aliased += test.alias && test.reads_inputs();
  if (verdict.outcome == Outcome::failed) {
    ++failed;
    if (failures.size() < kKeptFailures) failures.push_back({test, verdict.what, flags});
    return;
  }
  ++passed;
  if (test.mode != Mode::rounding) return;
  worst_ratio = std::max(worst_ratio, verdict.ratio);
  worst_rigorous = std::max(worst_rigorous, verdict.rigorous);
  if (p.compute != Compute::native && p.compute != Compute::split) return;
  double& seen = ratios[{p.in, p.out, p.compute}][static_cast<std::size_t>(bucket(p.k))];
  seen = std::max(seen, verdict.ratio);
}

Space taken_by(const Contender& contender, const Space& space) {
  Space taken = space;
  taken.like.clear();
  for (const Problem& kind : space.like.empty() ? every_kind() : space.like) {
    if (contender.refuses(with_rows(kind, contender.grid().rows)).empty()) taken.like.push_back(kind);
  }
  return taken.like.empty() ? space : taken;
}

Case on_the_grid(const Case& test, const Contender& contender) {
  Case moved = with_pointers(test, contender.grid().pointers);
  moved.problem = with_rows(moved.problem, contender.grid().rows);
  if (contender.grid().epilogue > 1) {
    moved.offset_bias = moved.offset_before = moved.offset_scale_a = moved.offset_scale_b = 0;
    moved.problem.stride_bias = (moved.problem.stride_bias + 15) / 16 * 16;
  }
  return moved;
}

Case case_for(const Contender& contender, std::uint64_t seed, const Space& taken) {
  Case test = draw(seed, taken);
  test = on_the_grid(test, contender);
  Problem& p = test.problem;
  if (p.is_grouped() && !taken.groups && (contender.work() != Work::product || !contender.refuses(p).empty()))
    test = without_groups(test);
  // Contenders without epilogues get a case that drew one without it, and not nothing to do.
  if (p.has_epilogue() && taken.given_epilogues.empty() &&
      (contender.work() != Work::product || !contender.refuses(p).empty()))
    test = without_epilogue(test);
  if (contender.work() == Work::move) {
    p.batch = taken.batch.value_or(1), p.k = p.n;
    p.lda = std::max(p.lda, p.a().min_ld());
  }
  // What was given is not moved to the grid: a contender that needs it there refuses.
  taken.leading.apply(p);
  if (contender.work() != Work::move) return test;
  p.ldb = p.b().min_ld();
  test.alpha = 1, test.beta = 0;
  test.alias = test.null_inputs = false;
  return test;
}

Tally fuzz(Contender& contender, const Space& space, std::int64_t count, std::uint64_t seed,
           const std::function<bool(const Tally&)>& progress) {
  return fuzz_each(contender, std::vector{space}, count, seed, progress);
}

Tally fuzz_each(Contender& contender, const std::vector<Space>& spaces, std::int64_t count, std::uint64_t seed,
                const std::function<bool(const Tally&)>& progress) {
  Tally tally;
  std::int64_t index = 0;
  for (const Space& space : spaces) {
    const Space taken = taken_by(contender, space);
    for (const std::int64_t end = index + count; index < end; ++index) {
      const Case test = case_for(contender, case_seed(seed, index), taken);
      const Verdict verdict = check(contender, test);
      tally.add(test, verdict, space.flags);
      const std::string took = verdict.outcome == Outcome::refused ? "" : contender.took();
      if (!took.empty()) ++tally.took[took.substr(0, took.find(','))];
      if (progress && !progress(tally)) return tally;
    }
  }
  return tally;
}

std::string replay_command(std::string_view contender, const Case& test, std::string_view device,
                           std::string_view flags) {
  return fmt::format("cairn verify {} --device {}{}{} --replay {:#x}", contender, device, flags.empty() ? "" : " ",
                     flags, test.seed);
}

}  // namespace cairn::lab::verify
