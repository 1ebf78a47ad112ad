// Drawn suites: the same shapes for a seed on every machine, inside the bounds of their class, log-uniform.
#include "lab/drawn.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

constexpr std::int64_t kMany = 2000;

std::string text(const SuiteLine& line) {
  return fmt::format("{} {} {} {} batch={} lda={} ldb={} ldc={}", line.shape.m, line.shape.n, line.shape.k,
                     line.layout, line.batch.value_or(0), line.lda, line.ldb, line.ldc);
}

// Worked out by another program from the description of splitmix64 and of the classes.
TEST(Drawn, TheFirstShapesOfASeedAreThoseOfEveryMachine) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> known = {
      {"general", {"224 2936 440 nn", "112 64 168 nt", "2136 104 304 tt"}},
      {"thin", {"4560 1 3160 tn", "10512 21 9608 nt", "13 4912 1560 nt"}},
      {"deep", {"632 64 15048 nt", "272 664 49648 nt", "376 64 41800 nn"}},
      {"wide", {"6056 232 608 tn", "96 14216 368 tn", "88 12704 216 tn"}},
      {"odd",
       {"65 1 1 tt batch=1 lda=+1 ldb=+2 ldc=+5", "414 20 1550 nn batch=1 lda=+4 ldb=+6 ldc=+2",
        "3 59 109 nn batch=1 lda=+2 ldb=+7 ldc=+8"}},
      {"batched", {"101 184 149 nn batch=2405", "242 10 5 tn batch=927", "37 37 70 nn batch=26"}}};
  ASSERT_EQ(known.size(), std::size(kDrawnClasses));
  for (const auto& [of_class, shapes] : known) {
    const auto lines = draw_suite(of_class, 2026, 3);
    ASSERT_EQ(lines.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(text(lines[i]).substr(0, std::string(shapes[i]).size()), shapes[i]) << of_class;
  }
}

bool in(std::int64_t size, std::int64_t low, std::int64_t high, std::int64_t step = 8) {
  return size >= low && size <= high && size % step == 0;
}

bool in_class(const std::string& of_class, const SuiteLine& line) {
  const auto& [m, n, k] = line.shape;
  const std::int64_t less = std::min(m, n), more = std::max(m, n);
  const bool one = line.batch == 1 && (of_class == "odd" || line.lda + line.ldb + line.ldc == "");
  if (of_class == "general") return one && in(m, 64, 8192) && in(n, 64, 8192) && in(k, 64, 8192);
  if (of_class == "thin") return one && in(less, 1, 128, 1) && in(more, 1024, 16384) && in(k, 1024, 16384);
  if (of_class == "deep") return one && in(less, 64, 1024) && in(more, 64, 1024) && in(k, 16 * more, 131072);
  if (of_class == "wide") return one && in(less, 64, 1024) && in(more, 16 * less, 16384) && in(k, 64, 8192);
  if (of_class == "batched")
    return in(less, 4, 256, 1) && in(more, 4, 256, 1) && in(k, 4, 256, 1) && in(line.batch.value_or(0), 16, 8192, 1);
  const auto is_padding = [](const std::string& ld) {
    return ld.size() == 2 && ld[0] == '+' && ld[1] >= '0' && ld[1] <= '8';
  };
  return one && in(less, 1, 4096, 1) && in(more, 1, 4096, 1) && in(k, 1, 4096, 1) && is_padding(line.lda) &&
         is_padding(line.ldb) && is_padding(line.ldc);
}

TEST(Drawn, EveryShapeIsInsideItsClassAndThereOnce) {
  for (const std::string_view of_class : kDrawnClasses) {
    std::set<std::string> layouts;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> shapes;
    for (const SuiteLine& line : draw_suite(of_class, 1, kMany)) {
      EXPECT_TRUE(in_class(std::string(of_class), line)) << of_class << ": " << text(line);
      layouts.insert(line.layout);
      shapes.emplace(line.shape.m, line.shape.n, line.shape.k, line.batch.value_or(0));
    }
    EXPECT_EQ(layouts, (std::set<std::string>{"nn", "nt", "tn", "tt"})) << of_class;
    EXPECT_EQ(std::ssize(shapes), kMany) << of_class;
  }
}

// The integers are drawn with weights 1 / v; the smallest v below which a fraction of `quarters` / 4 of the weight lies.
std::int64_t quartile(std::int64_t low, std::int64_t high, int quarters) {
  constexpr std::int64_t kOne = std::int64_t{1} << 40;
  std::int64_t all = 0, below = 0;
  for (std::int64_t v = low; v <= high; ++v) all += kOne / v;
  for (std::int64_t v = low; v <= high; ++v)
    if ((below += kOne / v) >= all / 4 * quarters) return v;
  return high;
}

// Of 2000 draws over 7 octaves a quartile is off by a quarter of an octave, 19 %, once in thousands.
void expect_log_uniform(std::vector<std::int64_t> sizes, std::int64_t low, std::int64_t high, std::int64_t step,
                        const std::string& what) {
  std::ranges::sort(sizes);
  for (const int quarters : {1, 2, 3}) {
    const std::int64_t expected = step * quartile(low / step, high / step, quarters);
    const std::int64_t found = sizes[sizes.size() * static_cast<std::size_t>(quarters) / 4];
    EXPECT_GE(100 * found, 80 * expected - 100 * step) << what << ", quartile " << quarters;
    EXPECT_LE(100 * found, 125 * expected + 100 * step) << what << ", quartile " << quarters;
  }
}

TEST(Drawn, SizesAreLogUniform) {
  const auto sizes = [](const std::string& of_class, auto of) {
    std::vector<std::int64_t> all;
    for (const SuiteLine& line : draw_suite(of_class, 5, kMany)) all.push_back(of(line));
    return all;
  };
  const auto m = [](const SuiteLine& line) { return line.shape.m; };
  const auto n = [](const SuiteLine& line) { return line.shape.n; };
  const auto k = [](const SuiteLine& line) { return line.shape.k; };
  const auto less = [](const SuiteLine& line) { return std::min(line.shape.m, line.shape.n); };
  const auto batch = [](const SuiteLine& line) { return line.batch.value_or(0); };
  expect_log_uniform(sizes("general", m), 64, 8192, 8, "general m");
  expect_log_uniform(sizes("general", n), 64, 8192, 8, "general n");
  expect_log_uniform(sizes("general", k), 64, 8192, 8, "general k");
  expect_log_uniform(sizes("thin", less), 1, 128, 1, "thin, the short side");
  expect_log_uniform(sizes("thin", k), 1024, 16384, 8, "thin k");
  expect_log_uniform(sizes("deep", m), 64, 1024, 8, "deep m");
  expect_log_uniform(sizes("wide", less), 64, 1024, 8, "wide, the short side");
  expect_log_uniform(sizes("odd", n), 1, 4096, 1, "odd n");
  expect_log_uniform(sizes("batched", k), 4, 256, 1, "batched k");
  expect_log_uniform(sizes("batched", batch), 16, 8192, 1, "batched, the batch");
}

// A bound inside an octave cuts it off and leaves the weights as they are.
TEST(Drawn, LogUniformReachesBothEndsAndNoFurther) {
  Random random(3);
  std::vector<int> counts(12, 0);
  for (int i = 0; i < 50'000; ++i) ++counts.at(static_cast<std::size_t>(log_uniform(random, 3, 11)));
  EXPECT_EQ(counts[0] + counts[1] + counts[2], 0);
  EXPECT_NEAR(counts[3], 3 * counts[9], 1000);  // 1/3 is three times 1/9
  EXPECT_NEAR(counts[5], 2 * counts[10], 1000);
  EXPECT_GT(counts[11], 0);
  EXPECT_EQ(log_uniform(random, 7, 7), 7);
}

TEST(Drawn, FewerAreTheFirstOfMoreAndSeedsAndClassesDiffer) {
  const auto more = draw_suite("odd", 7, 40), fewer = draw_suite("odd", 7, 10);
  for (std::size_t i = 0; i < fewer.size(); ++i) EXPECT_EQ(text(fewer[i]), text(more[i]));
  EXPECT_NE(text(draw_suite("odd", 8, 1)[0]), text(more[0]));
  // Both draw the short side first, from the same range.
  const Shape wide = draw_suite("wide", 7, 1)[0].shape, deep = draw_suite("deep", 7, 1)[0].shape;
  EXPECT_NE(std::min(wide.m, wide.n), deep.m);
}

TEST(Drawn, AClassThatIsNoneIsRefusedWithTheNearest) {
  EXPECT_EQ(drawn_class("drawn:odd"), "odd");
  EXPECT_FALSE(drawn_class("course") || drawn_class("") || drawn_class("drawn.txt"));
  for (const auto& [suite, hint] : {std::pair{"drawn:genral", "no class 'genral', the nearest is general"},
                                    {"drawn:", "names no class"},
                                    {"drawn", "names no class; write one of drawn:general, drawn:thin"}}) {
    try {
      (void)drawn_class(suite);
      ADD_FAILURE() << suite;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kUsage);
      EXPECT_NE(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace cairn::lab
