// What the cards of a ladder say beside their kernels: names, files, pages, tiles. Nothing runs, so that CUDA's
// ladder is looked at without a GPU too.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "kernels/rung.hpp"

namespace cairn {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The emulated ladder, and CUDA's where it is built.
class Cards : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
#ifndef CAIRN_HAVE_CUDA
    if (GetParam()) GTEST_SKIP() << "this build has no CUDA";
#endif
    ASSERT_FALSE(all.empty());
  }
  const Ladder all = GetParam() ? cuda_ladder() : emulated_ladder();
};

TEST_P(Cards, CarryOneNameInAllItsPlaces) {
  const std::filesystem::path root = CAIRN_SOURCE_DIR;
  const std::string trail = read(root / "docs/trail/README.md");
  std::set<std::string_view> ids;
  for (const Rung* rung : all) {
    const std::string id(rung->id);
    std::string name = id;  // of the kernel, and of the page
    std::ranges::replace(name, '/', '_');
    EXPECT_TRUE(ids.insert(rung->id).second) << id << " stands in the table twice";
    const std::string source = read(root / "kernels" / (id + ".cu"));
    // The kernel is there, or in a header for the files that compile it.
    const std::string kernel = source + read(root / "kernels" / id / "kernel.hpp");
    EXPECT_NE(kernel.find(" " + name + "("), std::string::npos) << "kernels/" << id << ".cu has no kernel " << name;
    EXPECT_NE(source.find("docs/trail/" + name + ".md"), std::string::npos) << id << ": its head names no page";
    EXPECT_NE(read(root / "docs/trail" / (name + ".md")), "") << "docs/trail/" << name << ".md is missing";
    EXPECT_NE(trail.find("[" + id + "](" + name + ".md)"), std::string::npos) << id << " is not on the trail";
  }
}

TEST_P(Cards, NameTheirTilesAndRefuseOthers) {
  for (const Rung* rung : all) {
    ASSERT_GT(rung->tiles, 0) << rung->id;
    std::set<std::string> names;
    for (int tile = 0; tile < rung->tiles; ++tile) names.insert(rung->tile_name(tile).text);
    EXPECT_EQ(names.count(""), 0u) << rung->id;
    EXPECT_EQ(std::ssize(names), rung->tiles) << rung->id << ": two tiles have one name";

    const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
    for (const int tile : {-1, rung->tiles}) {
      EXPECT_STREQ(rung->tile_name(tile).text, "");
      const RungArgs args{p, 1, nullptr, nullptr, 0, nullptr};
      EXPECT_EQ(rung->launch(args, tile, nullptr).code(), Code::invalid_argument) << rung->id << " tile " << tile;
    }
  }
}

// The files that both builds compile are the ones of the table: a rung forgotten in one place is seen here.
TEST_P(Cards, AreThoseOfTheBuild) {
  const std::string list = read(std::filesystem::path(CAIRN_SOURCE_DIR) / "kernels/rungs.cmake");
  std::size_t files = 0;
  static const std::regex file("kernels/[a-z]+/([0-9a-z_]+)\\.cu\n");  // and not those of a rung's folder
  for (std::sregex_iterator at(list.begin(), list.end(), file), end; at != end; ++at) ++files;
  EXPECT_EQ(files, all.size());
  for (const Rung* rung : all)
    EXPECT_NE(list.find("kernels/" + std::string(rung->id) + ".cu\n"), std::string::npos) << rung->id;
}

INSTANTIATE_TEST_SUITE_P(Of, Cards, testing::Bool(),
                         [](const auto& which) { return std::string(which.param ? "Cuda" : "Emulated"); });

}  // namespace
}  // namespace cairn
