#include "lab/profile/child.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/baselines.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/transpose_builds.hpp"
#include "lab/measure/ring.hpp"

namespace cairn::lab::profile {

Contenders field(int device, const std::vector<std::string>& patterns) {
  Contenders all;
  expect(contenders(device, all, patterns));
  add_baselines(all.at(0)->machine(), all);
  expect(select(patterns, all));
  return all;
}

void run_child(const Subject& subject) {
  const Contenders all =
      subject.build.empty() ? field(subject.device, {subject.id}) : transposes_built(subject.build, subject.device);
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c->id() == subject.id; });
  if (found == all.end()) throw Error(kUsage, fmt::format("no contender has the id '{}'", subject.id));
  Contender& contender = **found;
  runtime::Machine& machine = *contender.machine();
  if (const std::string why = contender.refuses(subject.problem); !why.empty()) throw Error(kLacking, why);

  // One set: every run meets what the run before left in the caches, unless the profiler empties them.
  const measure::Ring ring(contender.machine(), subject.problem, subject.seed, measure::Cache::hot);
  expect(contender.prepare(subject.problem));
  const auto run = [&] {
    expect(contender.run(ring.call(0), nullptr));
    expect(machine.synchronize(nullptr));
  };
  run();
  expect(machine.profile_begin());
  for (std::int64_t i = 0; i < subject.runs; ++i) run();
  expect(machine.profile_end());
}

}  // namespace cairn::lab::profile
