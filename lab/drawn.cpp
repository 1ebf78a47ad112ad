#include "lab/drawn.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/nearest.hpp"

namespace cairn::lab {
namespace {

constexpr std::string_view kPrefix = "drawn:";
constexpr std::int64_t kStep = 8;  // elements: 16 bytes of the 16-bit types

// A multiple of kStep.
std::int64_t size(Random& random, std::int64_t low, std::int64_t high) {
  return kStep * log_uniform(random, low / kStep, high / kStep);
}

SuiteLine general(Random& random) {
  const std::int64_t m = size(random, 64, 8192), n = size(random, 64, 8192), k = size(random, 64, 8192);
  return {{m, n, k}};
}

SuiteLine thin(Random& random) {
  std::int64_t m = log_uniform(random, 1, 128), n = size(random, 1024, 16384);
  const std::int64_t k = size(random, 1024, 16384);
  if (random.chance(50)) std::swap(m, n);
  return {{m, n, k}};
}

SuiteLine deep(Random& random) {
  const std::int64_t m = size(random, 64, 1024), n = size(random, 64, 1024);
  return {{m, n, size(random, 16 * std::max(m, n), 131072)}};
}

SuiteLine wide(Random& random) {
  std::int64_t m = size(random, 64, 1024), n = size(random, 16 * m, 16384);
  const std::int64_t k = size(random, 64, 8192);
  if (random.chance(50)) std::swap(m, n);
  return {{m, n, k}};
}

SuiteLine odd(Random& random) {
  const std::int64_t m = log_uniform(random, 1, 4096), n = log_uniform(random, 1, 4096);
  SuiteLine line{{m, n, log_uniform(random, 1, 4096)}};
  for (std::string* ld : {&line.lda, &line.ldb, &line.ldc}) *ld = fmt::format("+{}", random.integer(0, 8));
  return line;
}

SuiteLine batched(Random& random) {
  const std::int64_t m = log_uniform(random, 4, 256), n = log_uniform(random, 4, 256);
  SuiteLine line{{m, n, log_uniform(random, 4, 256)}};
  line.batch = log_uniform(random, 16, 8192);
  return line;
}

constexpr SuiteLine (*kDraws[])(Random&) = {general, thin, deep, wide, odd, batched};
static_assert(std::size(kDraws) == std::size(kDrawnClasses));

}  // namespace

// No logarithm, whose last bit may differ from machine to machine: an octave, a place in it, and that place v is taken
// with a chance of 2^octave / v, else all is drawn again. The chance of each v is then 1 / v times the same constant.
std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high) {
  const auto octave_of = [](std::int64_t v) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(v))) - 1;
  };
  const std::int64_t first = octave_of(low), last = octave_of(high);
  for (;;) {
    const std::int64_t octave = std::int64_t{1} << random.integer(first, last);
    const std::int64_t v = random.integer(octave, 2 * octave - 1);
    const bool taken = random.integer(1, v) <= octave;
    if (taken && v >= low && v <= high) return v;
  }
}

std::optional<std::string> drawn_class(std::string_view suite) {
  if (suite != "drawn" && !suite.starts_with(kPrefix)) return {};
  const std::string name(suite.substr(std::min(suite.size(), kPrefix.size())));
  if (std::ranges::find(kDrawnClasses, name) != std::end(kDrawnClasses)) return name;
  const std::string all = fmt::format("{}", fmt::join(drawn_names(), ", "));
  if (name.empty()) throw Error(kUsage, fmt::format("--suite '{}' names no class; write one of {}", suite, all));
  const std::vector<std::string> classes(std::begin(kDrawnClasses), std::end(kDrawnClasses));
  throw Error(kUsage, fmt::format("--suite '{}': there is no class '{}', the nearest is {}; write one of {}", suite,
                                  name, nearest(name, classes, 1).at(0), all));
}

std::vector<std::string> drawn_names() {
  std::vector<std::string> names;
  for (const std::string_view name : kDrawnClasses) names.push_back(fmt::format("{}{}", kPrefix, name));
  return names;
}

std::vector<SuiteLine> draw_suite(std::string_view of_class, std::uint64_t seed, std::int64_t count) {
  constexpr const char* kLayouts[] = {"nn", "nt", "tn", "tt"};
  const auto place = std::ranges::find(kDrawnClasses, of_class) - std::begin(kDrawnClasses);
  // Every class has a stream of its own.
  Random random(Random(seed).bits() + static_cast<std::uint64_t>(place));
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  std::vector<SuiteLine> lines;
  while (std::ssize(lines) < count) {
    SuiteLine line = kDraws[place](random);
    line.layout = random.pick(kLayouts);
    if (!line.batch) line.batch = 1;
    const auto& [m, n, k] = line.shape;
    if (seen.emplace(m, n, k, *line.batch).second) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace cairn::lab
