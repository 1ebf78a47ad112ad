#include "lab/measure/host.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::measure {
namespace {

using Clock = std::chrono::steady_clock;

// Few enough that the device's queue, of about a thousand launches, is never full.
constexpr int kCalls = 64;

// Milliseconds of the host for one of kCalls calls. The device finishes them before the next batch.
double batch(Contender& contender, const Ring& ring) {
  const Call call = ring.call(0);
  const auto begin = Clock::now();
  for (int i = 0; i < kCalls; ++i) expect(contender.run(call, nullptr));
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  expect(ring.machine()->synchronize(nullptr));
  return ms / kCalls;
}

}  // namespace

std::vector<record::Row> bench_host(const std::vector<Contender*>& contenders, const Problem& problem,
                                    const Settings& settings) {
  std::vector<record::Row> rows;
  std::vector<std::size_t> entered;
  std::optional<verify::Trial> trial;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = *contenders[i];
    rows.push_back(blank_row(contender, problem, settings.scalars));
    rows[i].refused = refusal(contender, rows[i], problem);
    if (!rows[i].refused.empty()) continue;
    if (!trial) trial.emplace(trial_at_size(contender, problem, settings.seed, rows[i].scalars));
    const std::string wrong = wrong_at_size(contender, *trial);
    rows[i].verified = wrong.empty() ? verified_word(contender, problem, rows[i].scalars) : wrong;
    if (wrong.empty()) entered.push_back(i);
  }
  if (entered.empty()) return rows;
  trial.reset();

  const Ring ring(contenders[entered[0]]->machine(), problem, settings.seed, Cache::hot, Work::product,
                  settings.scalars);
  for (const std::size_t i : entered) {
    expect(contenders[i]->prepare(problem));
    rows[i].details = contenders[i]->details();
    rows[i].via = "calls", rows[i].runs = kCalls, rows[i].sets = ring.sets();
    (void)batch(*contenders[i], ring);  // loads what is loaded on first use
  }
  double spent = 0;
  for (std::size_t round = 1;; ++round) {
    for (const std::size_t i : entered) {
      rows[i].samples_ms.push_back(batch(*contenders[i], ring));
      spent = std::max(spent, rows[i].samples_ms.back() * kCalls * static_cast<double>(round) / 1e3);
    }
    bool done = true;
    for (const std::size_t i : entered) {
      rows[i].settled = settled(settings.stop, rows[i].samples_ms);
      rows[i].host_us = 1e3 * median(rows[i].samples_ms);
      done = done && (rows[i].settled || out_of_time(settings.stop, round, spent));
    }
    if (done) return rows;
    const double fraction = static_cast<double>(round) / static_cast<double>(round + settings.stop.at_least);
    if (settings.progress &&
        !settings.progress(fmt::format("host time, {}, round {}", problem.brief(), round), fraction))
      return rows;
  }
}

}  // namespace cairn::lab::measure
