#include "lab/progress.hpp"

#include <gtest/gtest.h>

namespace cairn::lab {
namespace {

TEST(Duration, IsAsExactAsAnEstimateCanBe) {
  EXPECT_EQ(duration(0), "1 s");
  EXPECT_EQ(duration(59), "59 s");
  EXPECT_EQ(duration(59.5), "1 min 00 s");
  EXPECT_EQ(duration(60), "1 min 00 s");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(600), "10 min");
  EXPECT_EQ(duration(2300), "39 min");
  EXPECT_EQ(duration(3600), "1 h 00 min");
  EXPECT_EQ(duration(3900), "1 h 05 min");
  EXPECT_EQ(duration(1e300), duration(1e9));
}

}  // namespace
}  // namespace cairn::lab
