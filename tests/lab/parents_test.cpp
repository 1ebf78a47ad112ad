// Every rung of the ladder names its parent, and following parents ends at the first rung of a trail.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "lab/diff/rung_source.hpp"

namespace cairn::lab::diff {
namespace {

const std::vector<RungSource>& ladder() {
  static const std::vector<RungSource> all = [] {
    std::vector<RungSource> rungs;
    if (emulated_ladder().empty() && cuda_ladder().empty()) return rungs;
    for (const OwnNames& names : rungs_of_this_build()) rungs.push_back(read_rung(names, {CAIRN_SOURCE_DIR}));
    return rungs;
  }();
  return all;
}

const RungSource* rung_named(const std::string& id) {
  const auto found = std::ranges::find(ladder(), id, [](const RungSource& rung) { return rung.names.id; });
  return found == ladder().end() ? nullptr : &*found;
}

TEST(Parents, AreNamedInTheLineBeforeTheIdea) {
  for (const RungSource& rung : ladder()) {
    const std::size_t line = rung.text.find("\n// From    ");
    ASSERT_NE(line, std::string::npos) << rung.file << " has no line '// From    ID' (or '-')";
    const std::size_t next = rung.text.find('\n', line + 1);
    EXPECT_EQ(rung.text.substr(next + 1, 8), "// Idea ") << rung.file;
    EXPECT_FALSE(rung.parent.empty()) << rung.file;
  }
}

TEST(Parents, AreRungsOfTheLadder) {
  for (const RungSource& rung : ladder()) {
    EXPECT_NE(rung.parent, "") << rung.file << " has no line '// From    ID' (or '-')";
    if (rung.parent.empty() || rung.first_of_trail()) continue;
    EXPECT_NE(rung_named(rung.parent), nullptr) << rung.file << ": '// From    " << rung.parent << "'";
  }
}

TEST(Parents, HaveNoCycle) {
  for (const RungSource& rung : ladder()) {
    std::size_t steps = 0;
    for (const RungSource* at = &rung; at != nullptr && steps <= ladder().size(); at = rung_named(at->parent))
      ++steps;
    EXPECT_LE(steps, ladder().size()) << rung.file << " comes from itself";
  }
}

}  // namespace
}  // namespace cairn::lab::diff
