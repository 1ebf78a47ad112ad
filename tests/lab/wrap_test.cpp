// Text in rows: no row is wider than asked, and no word is broken that fits a row.
#include "lab/wrap.hpp"

#include <gtest/gtest.h>

#include "lab/table.hpp"

namespace cairn::lab {
namespace {

using Rows = std::vector<std::string>;

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 8), (Rows{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 7), (Rows{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 9, 2), (Rows{"one two", "  three"}));
  EXPECT_EQ(wrapped("", 8), Rows{""});
  EXPECT_EQ(wrapped("  indented text", 10, 2), (Rows{"  indented", "  text"}));
}

TEST(Wrap, BreaksAWordOnlyIfItIsLongerThanARow) {
  EXPECT_EQ(wrapped("a bcdefgh", 7), (Rows{"a", "bcdefgh"}));
  EXPECT_EQ(wrapped("abcdefghij", 4), (Rows{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrapped("  abcdefghij", 6, 2), (Rows{"  abcd", "  efgh", "  ij"})) << "no row of spaces alone";
  EXPECT_EQ(wrapped("cairn::simt_01::naive<0>", 18), (Rows{"cairn::simt_01::", "naive<0>"}));
}

TEST(Wrap, CountsCharactersNotBytes) {
  EXPECT_EQ(wrapped("µµµ µµµ", 3), (Rows{"µµµ", "µµµ"}));
  EXPECT_EQ(wrapped("\tx", 9), Rows{"        x"});
}

TEST(Wrap, TheWidestPieceIsWhatCannotBeBroken) {
  EXPECT_EQ(widest_piece("vs strongest baseline"), 9u);
  EXPECT_EQ(widest_piece("cairn::simt_01::naive<0>"), 9u);
  EXPECT_EQ(widest_piece(""), 0u);
}

TEST(Wrap, LinesThatFitStayAsTheyAre) {
  EXPECT_EQ(fitted("short\n\n  art   work\n", 20), "short\n\n  art   work\n");
  EXPECT_EQ(fitted("a\tb  \n", 20), "a\tb  \n");
  EXPECT_EQ(fitted("a line that is too long\nb\n", 12), "a line that\n  is too\n  long\nb\n");
  EXPECT_EQ(fitted("a line that is too long\n", 0), "a line that is too long\n");
}

TEST(Wrap, ACommandIsContinuedByABackslash) {
  EXPECT_EQ(fitted("  cairn verify cairn --fuzz 20 --seed 7", 26), "  cairn verify cairn \\\n    --fuzz 20 --seed 7");
  // One column less than "  cairn verify cairn" and its backslash take.
  EXPECT_EQ(fitted("  cairn verify cairn --fuzz 20 --seed 7", 21),
            "  cairn verify \\\n    cairn --fuzz 20 \\\n    --seed 7");
}

}  // namespace
}  // namespace cairn::lab
