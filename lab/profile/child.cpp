#include "lab/profile/child.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lab/baselines.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/lab_kernels.hpp"
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

namespace {

// Those that the subject's ids may name.
Contenders named(const Subject& subject, const std::vector<std::string>& ids) {
  if (!subject.build.empty()) return transposes_built(subject.build, subject.device);
  std::vector<std::string> patterns;
  bool of_the_lab = false;
  for (const std::string& id : ids) {
    if (is_lab_kernel(id))
      of_the_lab = true;
    else
      patterns.push_back(id);
  }
  Contenders all;
  if (!patterns.empty()) all = field(subject.device, patterns);
  if (of_the_lab) {
    for (auto& kernel : lab_kernels(subject.device)) all.push_back(std::move(kernel));
  }
  return all;
}

Contender& find(const Contenders& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c->id() == id; });
  if (found == all.end()) throw Error(kUsage, fmt::format("no contender has the id '{}'", id));
  return **found;
}

}  // namespace

void run_child(const Subject& subject) {
  std::vector<std::string> ids = {subject.id};
  ids.insert(ids.end(), subject.also.begin(), subject.also.end());
  const Contenders all = named(subject, ids);
  runtime::Machine& machine = *find(all, subject.id).machine();

  // One set: every run meets what the run before left in the caches, unless the profiler empties them.
  const measure::Ring ring(find(all, subject.id).machine(), subject.problem, subject.seed, measure::Cache::hot,
                           Work::product, subject.scalars);
  for (const std::string& id : ids) {
    Contender& contender = find(all, id);
    if (const std::string why = contender.refuses(subject.problem); !why.empty()) throw Error(kLacking, why);
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
}

}  // namespace cairn::lab::profile
