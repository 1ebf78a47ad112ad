// `cairn info fragment`: known places, every place once, and words it does not know.
#include "lab/fragments.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using fragment::Operand;

std::string cell(const Table& table, std::size_t row, std::size_t col) {
  return std::get<std::string>(table.rows.at(row).at(col + 1));
}

std::string complaint(const FragmentQuestion& question) {
  try {
    (void)parse(question);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kUsage);
    return error.what();
  }
  return "";
}

TEST(Fragments, AreWhereTheManualHasThem) {
  const Table a = fragment_report(parse({"mma", "f16", "a", ""})).table;
  EXPECT_EQ(a.rows.size(), 16u);
  EXPECT_EQ(a.columns.size(), 17u);
  EXPECT_EQ(cell(a, 0, 0), "0:0");
  EXPECT_EQ(cell(a, 1, 3), "5:1");
  EXPECT_EQ(cell(a, 8, 0), "0:2");
  EXPECT_EQ(cell(a, 0, 8), "0:4");
  EXPECT_EQ(cell(a, 15, 15), "31:7");
  const Table b = fragment_report(parse({"mma", "tf32", "b", "16x8x8"})).table;
  EXPECT_EQ(cell(b, 0, 1), "4:0");
  EXPECT_EQ(cell(b, 7, 7), "31:1");
  const FragmentAnswer deep = parse({"mma", "f64", "a", ""});
  EXPECT_EQ(cell(fragment_report(deep).table, 9, 14), "6:7");
  EXPECT_EQ(std::get<std::int64_t>(fragment_list(deep).rows.at(6 * 8 + 7).back()), 7);  // its register
  const Table small = fragment_report(parse({"mma", "f64", "c", "8x8x4"})).table;
  EXPECT_EQ(small.rows.size(), 8u);
  EXPECT_EQ(cell(small, 7, 7), "31:1");
  const Table c = fragment_report(parse({"wmma", "bf16", "c", "8x32x16"})).table;
  EXPECT_EQ(c.rows.size(), 8u);
  EXPECT_EQ(cell(c, 1, 0), "0:1");
  EXPECT_EQ(cell(c, 0, 8), "0:2");
  EXPECT_EQ(cell(c, 0, 16), "0:4");
}

// Every place is held, and by as many elements as there are copies.
TEST(Fragments, HoldEveryPlace) {
  for (const fragment::Kind& kind : fragment::kinds) {
    for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
      const Table list = fragment_list({kind, {operand}});
      std::multiset<std::pair<std::int64_t, std::int64_t>> places;
      for (const auto& row : list.rows)
        places.insert({std::get<std::int64_t>(row[4]), std::get<std::int64_t>(row[5])});
      const auto copies = static_cast<std::size_t>(held(kind, operand) / distinct(kind, operand));
      for (int at = 0; at < 32 * distinct(kind, operand); ++at) {
        const int width = cols(kind.shape, operand);
        EXPECT_EQ(places.count({at / width, at % width}), copies);
      }
    }
  }
}

// A warp's rows below those of the warp before it; columns eight by eight.
TEST(Fragments, OfAWarpgroup) {
  const Table c = fragment_report(parse({"wgmma", "bf16", "c", "64x256x16"})).table;
  EXPECT_EQ(c.rows.size(), 64u);
  EXPECT_EQ(c.columns.size(), 257u);
  EXPECT_EQ(cell(c, 0, 0), "0:0");
  EXPECT_EQ(cell(c, 9, 3), "5:3");
  EXPECT_EQ(cell(c, 16, 8), "32:4");
  EXPECT_EQ(cell(c, 63, 255), "127:127");
  const Table wide = fragment_report(parse({"wgmma", "tf32", "a", "64x8x8"})).table;
  EXPECT_EQ(cell(wide, 24, 5), "33:3");
  const FragmentAnswer narrow = parse({"wgmma", "e4m3", "a", ""});
  EXPECT_EQ(cell(fragment_report(narrow).table, 1, 21), "5:9");
  EXPECT_EQ(std::get<std::int64_t>(fragment_list(narrow).rows.at(5 * 16 + 9).back()), 2);  // its register
  EXPECT_NE(fragment_report(narrow).before.front().find("thread:element"), std::string::npos);
  EXPECT_NE(fragment_picture(narrow).find("row 63, column 31: thread 127, element 15<"), std::string::npos);
  EXPECT_EQ(parse({"wgmma", "f16", "", "64x96x16"}).operands, (std::vector{Operand::a, Operand::c}));
}
TEST(Fragments, OfAWarpgroupHoldEveryPlace) {
  using fragment::Type;
  for (const Type type : {Type::f16, Type::bf16, Type::tf32, Type::e4m3}) {
    const fragment::Kind kind = {fragment::Op::wgmma, type, {64, 40, fragment::group_depth(type)}};
    EXPECT_TRUE(exists(kind));
    for (const Operand operand : {Operand::a, Operand::c}) {
      std::set<std::pair<std::int64_t, std::int64_t>> places;
      for (const auto& row : fragment_list({kind, {operand}}).rows)
        places.insert({std::get<std::int64_t>(row[4]), std::get<std::int64_t>(row[5])});
      EXPECT_EQ(places.size(), static_cast<std::size_t>(64 * cols(kind.shape, operand)));
      EXPECT_EQ(*places.rbegin(), (std::pair<std::int64_t, std::int64_t>(63, cols(kind.shape, operand) - 1)));
    }
  }
  EXPECT_FALSE(fragment::exists({fragment::Op::wgmma, Type::f16, {64, 40, 8}}));
  EXPECT_FALSE(fragment::exists({fragment::Op::wgmma, Type::f16, {64, 264, 16}}));
}

TEST(Fragments, AreAllShownIfNoneIsNamed) {
  const Report all = fragment_report(parse({}));
  EXPECT_NE(all.before.back().find("mma of f16 16x8x16: a, 16 x 16"), std::string::npos);
  EXPECT_EQ(all.sections.size(), 2u);  // b and c
  const Report again = fragment_report(parse({"wmma", "f16", "b", "32x8x16"}));
  EXPECT_NE(again.before.back().find("Elements from 4 on are the same again, up to 15."), std::string::npos);
  EXPECT_EQ(fragment_list(parse({"wmma", "", "", ""})).rows.size(), 32u * (16 + 16 + 8));
}

TEST(Fragments, AreDrawn) {
  const std::string svg = fragment_picture(parse({"mma", "", "c", ""}));
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_NE(svg.find("row 3, column 5: lane 14, element 1<"), std::string::npos);
  EXPECT_EQ(svg.find("row 16"), std::string::npos);
}

TEST(Fragments, UnknownWordsAreTold) {
  EXPECT_EQ(complaint({"imma", "", "", ""}), "--op 'imma': there are mma, wmma, wgmma");
  EXPECT_EQ(complaint({"", "f32", "", ""}), "--type 'f32': there are f16, bf16, tf32, e4m3, f64");
  EXPECT_EQ(complaint({"", "", "d", ""}), "--operand 'd': there are a, b, c");
  EXPECT_EQ(complaint({"wmma", "tf32", "", "16x16x16"}), "--shape '16x16x16': wmma of tf32 has 16x16x8");
  EXPECT_EQ(complaint({"mma", "bf16", "", "16x8x16"}), "");
  EXPECT_EQ(complaint({"mma", "e4m3", "", ""}), "--type 'e4m3': there is no mma of this type here; wgmma has it");
  EXPECT_EQ(complaint({"wgmma", "", "b", ""}),
            "--operand 'b': wgmma reads B from shared memory, not from registers; choose a or c");
  EXPECT_EQ(complaint({"wgmma", "", "", "64x12x16"}),
            "--shape '64x12x16': wgmma of f16 has 64x8x16, 64x16x16, … 64x256x16");
}

}  // namespace
}  // namespace cairn::lab
