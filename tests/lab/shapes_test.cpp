#include "lab/shapes.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using Shapes = std::vector<Shape>;

TEST(Shapes, OneNumberIsACube) { EXPECT_EQ(parse_shapes("512"), (Shapes{{512, 512, 512}})); }

TEST(Shapes, ThreeNumbersAreMNK) { EXPECT_EQ(parse_shapes("1x22x333"), (Shapes{{1, 22, 333}})); }

TEST(Shapes, ZeroIsASize) { EXPECT_EQ(parse_shapes("0x3x0"), (Shapes{{0, 3, 0}})); }

TEST(Shapes, ARangeIncludesItsStop) {
  EXPECT_EQ(parse_shapes("256:768:256"), (Shapes{{256, 256, 256}, {512, 512, 512}, {768, 768, 768}}));
  EXPECT_EQ(parse_shapes("5:5:1"), (Shapes{{5, 5, 5}}));
}

TEST(Shapes, AStepThatMissesTheStopEndsBelowIt) { EXPECT_EQ(parse_shapes("1:6:4"), (Shapes{{1, 1, 1}, {5, 5, 5}})); }

TEST(Shapes, RangesCombineWithTheLastRunningFastest) {
  EXPECT_EQ(parse_shapes("1:2:1x8x3:4:1"), (Shapes{{1, 8, 3}, {1, 8, 4}, {2, 8, 3}, {2, 8, 4}}));
}

TEST(Shapes, CommasSeparate) { EXPECT_EQ(parse_shapes("2,1x2x3"), (Shapes{{2, 2, 2}, {1, 2, 3}})); }

TEST(Shapes, ARangeUpToTheLargestNumberEnds) {
  EXPECT_EQ(parse_shapes("9223372036854775806:9223372036854775807:1").size(), 2u);
}

TEST(Shapes, RefusesWithTheTextAndWhatWouldBeRight) {
  for (const char* wrong : {"",
                            "x",
                            "12x",
                            "1x2",
                            "1x2x3x4",
                            "-1",
                            "1x-2x3",
                            "a",
                            "1.5",
                            "1e3",
                            " 5",
                            "5 ",
                            "1:2",
                            "1:2:3:4",
                            "1:2:0",
                            "5:1:1",
                            ":",
                            "1::2",
                            "99999999999999999999",
                            "1,,2",
                            "1,",
                            "0:1000000:1",
                            "1:1000:1x1:1000:1x1:1000:1",
                            "1:99999:1x1:99999:1x1:99999:1",
                            "+1",
                            "0x10"}) {
    try {
      parse_shapes(wrong);
      ADD_FAILURE() << "'" << wrong << "' was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kUsage) << wrong;
      EXPECT_NE(std::string(error.what()).find("write 1024"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace cairn::lab
