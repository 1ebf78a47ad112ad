#include "lab/suites.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

std::string complaint(const std::string& text) {
  try {
    (void)parse_suite(text, "mine.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kUsage);
    return error.what();
  }
  return "none";
}

TEST(Suite, BuiltInOnesReadAndHaveTheirShapes) {
  EXPECT_EQ(suite_names(), "seeds, squares, course, thin, unseen");
  const auto seeds = read_suite("seeds");
  EXPECT_EQ(seeds.size(), 8u);
  for (const SuiteLine& line : seeds) {
    EXPECT_TRUE(line.shape.m == 2048 || line.shape.m == 4096);
    EXPECT_TRUE(line.shape.n == 2048 || line.shape.n == 4096);
    EXPECT_TRUE(line.shape.k == 512 || line.shape.k == 1024);
  }
  for (const SuiteLine& line : read_suite("squares")) {
    EXPECT_EQ(line.shape.m, line.shape.n);
    EXPECT_EQ(line.shape.m, line.shape.k);
  }
  EXPECT_EQ(read_suite("course").size(), 29u);
  EXPECT_EQ(read_suite("thin").size(), 24u);
  EXPECT_EQ(read_suite("unseen").size(), 34u);
}

TEST(Suite, TakesEveryWayOfWritingAShape) {
  const auto suite = parse_suite("# a comment\n\n 1 2 3 nt # and another\n4x5x6\n7\n8:10:2 tn\n", "mine.txt");
  ASSERT_EQ(suite.size(), 5u);
  EXPECT_EQ(suite[0].shape, (Shape{1, 2, 3}));
  EXPECT_EQ(suite[0].layout, "nt");
  EXPECT_EQ(suite[1].shape, (Shape{4, 5, 6}));
  EXPECT_EQ(suite[1].layout, "");
  EXPECT_EQ(suite[2].shape, (Shape{7, 7, 7}));
  EXPECT_EQ(suite[4].shape, (Shape{10, 10, 10}));
  EXPECT_EQ(suite[4].layout, "tn");
}

TEST(Suite, ALineMayHaveABatchAndLeadingDimensions) {
  const auto suite =
      parse_suite("1 2 3 nt batch=16\n4x5x6 lda=+1 ldc=100 tn\n7 ld=+8 ldb=9\n8 batch=2\n", "mine.txt");
  ASSERT_EQ(suite.size(), 4u);
  EXPECT_EQ(suite[0].batch, 16);
  EXPECT_EQ(suite[0].lda + suite[0].ldb + suite[0].ldc, "");
  EXPECT_FALSE(suite[1].batch.has_value());
  EXPECT_EQ(suite[1].layout, "tn");
  EXPECT_EQ(suite[1].lda, "+1");
  EXPECT_EQ(suite[1].ldb, "");
  EXPECT_EQ(suite[1].ldc, "100");
  EXPECT_EQ(suite[2].lda, "+8");
  EXPECT_EQ(suite[2].ldb, "9");
  EXPECT_EQ(suite[2].ldc, "+8");
  EXPECT_EQ(suite[3].batch, 2);
  for (const char* wrong : {"8 batch=0", "8 batch=x", "8 batch=", "8 batch=1 batch=2", "8 lda=-1", "8 lda=1 lda=2",
                            "8 ldd=4", "8 =4", "batch=4", "8 batch=99999999999999999999"})
    EXPECT_EQ(complaint(wrong).substr(0, 10), "mine.txt:1") << wrong;
}

TEST(Suite, NamesTheLineItCannotRead) {
  EXPECT_EQ(complaint("1 2 3 nt\n1 2 nt\n").substr(0, 10), "mine.txt:2");
  EXPECT_EQ(complaint("1x2 3 nt\n").substr(0, 10), "mine.txt:1");
  EXPECT_EQ(complaint("1 2 x nt\n").substr(0, 10), "mine.txt:1");
  EXPECT_EQ(complaint("1 2 3 nx\n").substr(0, 10), "mine.txt:1");
  EXPECT_EQ(complaint("# nothing\n"), "mine.txt: the suite is empty");
}

TEST(Suite, AFileOrANameThatIsNeither) {
  const std::string path = testing::TempDir() + "/suite.txt";
  std::ofstream(path) << "12 13 14 tt\n";
  EXPECT_EQ(read_suite(path).at(0).shape, (Shape{12, 13, 14}));
  try {
    (void)read_suite("nonsuch");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("seeds, squares, course, thin"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn::lab
