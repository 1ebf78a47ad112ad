#include "lab/profile/profile.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/profile/ncu.hpp"

namespace cairn::lab::profile {
namespace {

// Each round leaves out the metrics that the one before found unknown; the profiler may name them one at a time.
constexpr int kMostRounds = 12;

std::vector<const Counter*> wanted(const Reading& reading) {
  std::vector<const Counter*> all;
  for (const Counter& one : counters()) {
    const auto& names = reading.counters;
    if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end()) all.push_back(&one);
  }
  return all;
}

// A counter's metrics, its other spelling where the first is unknown, nothing where both are.
std::vector<std::string> to_ask(const Counter& one, const std::set<std::string>& unknown) {
  for (const std::string_view metrics : {one.metric, one.otherwise}) {
    auto names = parts(metrics);
    const bool known = std::none_of(names.begin(), names.end(), [&](const auto& n) { return unknown.contains(n); });
    if (known && !names.empty()) return names;
  }
  return {};
}

NcuOutput ask(const std::string& ncu, const Subject& subject, const Reading& reading) {
  std::set<std::string> unknown;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::string> metrics;
    for (const Counter* one : wanted(reading)) {
      for (std::string& metric : to_ask(*one, unknown)) metrics.push_back(std::move(metric));
    }
    if (metrics.empty()) throw Error(kFailed, fmt::format("{} knows none of the metrics asked for", ncu));
    NcuOutput output = run_ncu(
        ncu, {.metrics = metrics, .cold = reading.cold, .program = child_command(subject), .tick = reading.tick});
    if (!output.launches.empty()) return output;
    for (std::string& metric : unknown_metrics(output, metrics)) unknown.insert(std::move(metric));
  }
  throw Error(kFailed, fmt::format("{} still finds unknown metrics after {} tries: {}", ncu, kMostRounds,
                                   fmt::join(unknown, ", ")));
}

std::string joined(const std::vector<std::int64_t>& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

}  // namespace

std::vector<std::string> child_command(const Subject& subject) {
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                    "profile",
                                    subject.id,
                                    "--child",
                                    "--device",
                                    fmt::format("gpu:{}", subject.device),
                                    "--problem",
                                    subject.problem.full(),
                                    "--seed",
                                    fmt::format("{}", subject.seed),
                                    "--runs",
                                    fmt::format("{}", subject.runs)};
  words.insert(words.begin() + 3, subject.also.begin(), subject.also.end());
  if (!subject.build.empty()) words.insert(words.end(), {"--build", subject.build});
  const auto& [alpha, beta] = subject.scalars;
  if (alpha != 1) words.push_back(fmt::format("--alpha={}", alpha));
  if (beta != 0) words.push_back(fmt::format("--beta={}", beta));
  return words;
}

namespace {

// The launches of one contender's runs.
Profile read(std::span<const Launch> launches, std::size_t runs, const Reading& reading) {
  const std::size_t a_run = launches.size() / runs;
  Profile result;
  for (std::size_t i = 0; i < runs; ++i) result.runs.push_back(fold(launches.subspan(i * a_run, a_run)));
  for (std::size_t i = 0; i < a_run; ++i) result.kernels.push_back(launches[i].kernel);
  result.grid = joined(launches[0].grid);
  result.block = joined(launches[0].block);
  const Values medians = median(result.runs);
  for (const Counter* one : wanted(reading)) {
    if (!medians.contains(std::string(one->name))) result.missing.emplace_back(one->name);
  }
  return result;
}

}  // namespace

std::vector<Profile> profile_each(const std::string& ncu, const Subject& subject, const Reading& reading) {
  const NcuOutput output = ask(ncu, subject, reading);
  const std::span<const Launch> launches = output.launches;
  const auto runs = static_cast<std::size_t>(subject.runs);
  const std::size_t all = subject.also.size() + 1;
  // Every run launches the same kernels; otherwise a launch could not be assigned to a run.
  if (launches.size() % (runs * all) != 0) {
    throw Error(kFailed, fmt::format("{} watched {} kernels in {} runs of {}, which do not divide evenly", ncu,
                                     launches.size(), runs,
                                     all == 1 ? subject.id : fmt::format("each of {} contenders", all)));
  }
  const std::size_t of_one = launches.size() / all;
  std::vector<Profile> results;
  results.reserve(all);
  for (std::size_t i = 0; i < all; ++i) results.push_back(read(launches.subspan(i * of_one, of_one), runs, reading));
  return results;
}

Profile profile(const std::string& ncu, const Subject& subject, const Reading& reading) {
  return profile_each(ncu, subject, reading).at(0);
}

}  // namespace cairn::lab::profile
