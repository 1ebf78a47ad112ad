// Tables of records: those of a report, and those between the markers of a page.
#include "lab/record/page_tables.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

Problem square(Op op_a) { return Problem::packed(Type::f32, op_a, Op::none, 4096, 4096, 4096); }

Row move_row(const char* id, Op op_a, double ms) {
  Row row = some_row(id, square(op_a), {ms});
  row.work = "move";
  return row;
}

// 137.438953472e9 operations; 134.217728e6 bytes are moved.
Named measured() {
  return {
      "results/x.json",
      some_record(
          {some_row("cublas/slow", square(Op::none), {8}, true),
           some_row("simt/04_block_tile", square(Op::none), {16}), some_row("simt/01_naive", square(Op::none), {40}),
           some_row("simt/02", small_product(), {1}), some_row("cublas/fast", square(Op::none), {4}, true),
           move_row("transpose/4_padded_tile", Op::transpose, 0.05), move_row("probe/copy", Op::none, 0.04)})};
}

const std::string kPage = "<!-- ladder:begin --><!-- ladder:end --><!-- tensor:begin --><!-- tensor:end -->";

// A folder with one page of the trail.
class PageTables : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "docs/trail");
    std::ofstream(root_ / "docs/trail/simt_04_block_tile.md") << "a page\n";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::vector<MarkedTable> tables_of(const std::vector<Named>& records, const std::string& page = kPage) {
    return page_tables(page, records, root_, "P.md");
  }

  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("cairn_ladder_" + std::to_string(::getpid()));
};

TEST_F(PageTables, SaysThatItWasSustained) {
  Named named = measured();
  named.record.method.sustained = true;
  EXPECT_NE(tables_of({named}).at(0).text.find("cold caches, sustained load · ["), std::string::npos);
}

TEST_F(PageTables, IsInTheLaddersOrderWithTheBaselinesBelow) {
  const auto tables = tables_of({measured()});
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "ladder");
  EXPECT_EQ(tables[0].text,
            "**NVIDIA H200**, CUDA 13.0, cuBLAS 13.1.0 · f32 nn 4096x4096x4096, cold caches · "
            "[x.json](results/x.json) at 0123456.\n"
            "Ceilings measured in the same run: 50.0 TFLOP/s of multiply-adds, 4000 GB/s of copying.\n"
            "\n"
            "| rung                                                   | idea                   |     ms | TFLOP/s "
            "| % of cublas/fast | % of the measured ceiling |\n"
            "|--------------------------------------------------------|------------------------|-------:|--------:"
            "|-----------------:|--------------------------:|\n"
            "| simt/01_naive                                          | Naive                  | 40.000 |    3.44 "
            "|             10.0 |                       6.9 |\n"
            "| [simt/04_block_tile](docs/trail/simt_04_block_tile.md) | Block tile             | 16.000 |    8.59 "
            "|             25.0 |                      17.2 |\n"
            "| cublas/slow                                            | a baseline             |  8.000 |   17.18 "
            "|             50.0 |                      34.4 |\n"
            "| cublas/fast                                            | the strongest baseline |  4.000 |   34.36 "
            "|            100.0 |                      68.7 |\n"
            "\n"
            "| rung                    | idea                   |     ms | GB/s | % of the copy |\n"
            "|-------------------------|------------------------|-------:|-----:|--------------:|\n"
            "| probe/copy              | Copy bandwidth         | 0.0400 | 3355 |          83.9 |\n"
            "| transpose/4_padded_tile | Transpose, tile padded | 0.0500 | 2684 |          67.1 |\n");
}

// A rung in the first of its types, and of each type that is shown the strongest baseline.
Problem tensor(Type type, Compute compute, Op op_b) {
  Problem p = Problem::packed(type, Op::none, op_b, 4096, 4096, 4096);
  p.compute = compute;
  return p;
}
Named measured_on_tensor_cores() {
  const Problem bf16 = tensor(Type::bf16, Compute::native, Op::transpose);
  const Problem tf32 = tensor(Type::f32, Compute::tf32, Op::none);
  const Problem f16 = tensor(Type::f16, Compute::native, Op::none);
  Record record = some_record(
      {some_row("cublas/slow", bf16, {0.5}, true), some_row("cublas/fast", bf16, {0.2}, true),
       some_row("tensor/38_mma_block_order", bf16, {0.4}), some_row("tensor/38_mma_block_order", f16, {0.3}),
       some_row("tensor/38_mma_block_order", tf32, {0.8}), some_row("tensor/32_wmma_tf32_stage2", tf32, {2}),
       some_row("cublas/fast", tf32, {0.5}, true), some_row("cublas/fast", f16, {0.1}, true),
       some_row("cublas/fast", tensor(Type::f32, Compute::tf32, Op::transpose), {0.1}, true)});
  record.ceilings.mma_tflops = {{"bf16", 400}, {"tf32", 200}};
  return {"results/t.json", record};
}

TEST_F(PageTables, TheTensorTrailIsShownInATypeThatEachRungTakes) {
  const auto tables = tables_of({measured(), measured_on_tensor_cores()});
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].name, "tensor");
  EXPECT_EQ(tables[1].text,
            "**NVIDIA H200**, CUDA 13.0, cuBLAS 13.1.0 · 4096x4096x4096, cold caches · "
            "[t.json](results/t.json) at 0123456.\n"
            "Peak of mma.sync, measured in the same run: 400.0 TFLOP/s of bf16, 200.0 TFLOP/s of tf32.\n"
            "\n"
            "| rung                       | idea                   | type    |    ms | TFLOP/s "
            "| % of the strongest baseline | % of the mma.sync peak |\n"
            "|----------------------------|------------------------|---------|------:|--------:"
            "|----------------------------:|-----------------------:|\n"
            "| tensor/32_wmma_tf32_stage2 | WMMA TF32, two stages  | tf32 nn | 2.000 |    68.7 "
            "|                        25.0 |                   34.4 |\n"
            "| tensor/38_mma_block_order  | mma.sync, block order  | bf16 nt | 0.400 |   343.6 "
            "|                        50.0 |                   85.9 |\n"
            "| cublas/fast                | the strongest baseline | bf16 nt | 0.200 |   687.2 "
            "|                       100.0 |                  171.8 |\n"
            "| cublas/fast                | the strongest baseline | tf32 nn | 0.500 |   274.9 "
            "|                       100.0 |                  137.4 |\n");
}

// Each row is compared with the peak of its own instruction, and both peaks are named.
TEST_F(PageTables, HoppersRungsAreComparedWithTheirOwnPeak) {
  Named named = measured_on_tensor_cores();
  named.record.ceilings.wgmma_tflops = {{"bf16", 800}};
  named.record.rows.push_back(
      some_row("hopper/51_wgmma", tensor(Type::bf16, Compute::native, Op::transpose), {0.25}));
  const std::string text = tables_of({named}).at(0).text;
  for (const char* part : {
           "Peak of mma.sync, measured in the same run: 400.0 TFLOP/s of bf16, 200.0 TFLOP/s of tf32.\n"
           "Peak of wgmma, measured in the same run: 800.0 TFLOP/s of bf16.\n",
           "| % of the mma.sync or wgmma peak |\n",
           "| tensor/38_mma_block_order  | mma.sync, block order  | bf16 nt | 0.400 |   343.6 "
           "|                        50.0 |                            85.9 |\n",
           "| hopper/51_wgmma            | wgmma                  | bf16 nt | 0.250 |   549.8 "
           "|                        80.0 |                            68.7 |\n",
           "| cublas/fast                | the strongest baseline | bf16 nt | 0.200 |   687.2 "
           "|                       100.0 |                            85.9 |\n",
       })
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST_F(PageTables, WithoutItsPeakTheColumnIsLeftOut) {
  Named named = measured_on_tensor_cores();
  named.record.ceilings.mma_tflops.clear();
  const auto tables = tables_of({named});
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].text.find("mma.sync peak"), std::string::npos) << tables[0].text;
  EXPECT_NE(tables[0].text.find("| bf16 nt | 0.400 |   343.6 |                        50.0 |\n"), std::string::npos)
      << tables[0].text;
}

TEST_F(PageTables, RefusesARecordWithoutTheShape) {
  EXPECT_THROW(tables_of({{"x.json", some_record()}}), Error);
  EXPECT_THROW(tables_of({measured(), {"x.json", some_record()}}), Error);
}

TEST_F(PageTables, OfAPageInDocsLinkToItsTrail) {
  const auto tables = page_tables(kPage, {measured()}, root_ / "docs", "P.md");
  EXPECT_NE(tables.at(0).text.find("| [simt/04_block_tile](trail/simt_04_block_tile.md) |"), std::string::npos)
      << tables[0].text;
}

TEST_F(PageTables, NeedAMarker) {
  EXPECT_THROW(tables_of({measured()}, "text"), Error);
  EXPECT_TRUE(tables_of({}, kPage).empty());
  EXPECT_EQ(tables_of({measured(), measured_on_tensor_cores()}, "<!-- tensor:end --><!-- ladder:begin -->").size(),
            2u);
  EXPECT_THROW(tables_of({measured_on_tensor_cores()}, "<!-- ladder:begin --><!-- ladder:end -->"), Error);
}

// 4 and 1 of two aligned problems, 16 of one whose rows are not multiples of 16 bytes; the fourth has no baseline.
Named over_many_problems() {
  const auto square = [](std::int64_t n) { return Problem::packed(Type::f16, Op::none, Op::none, n, n, n); };
  return {"results/many.json",
          some_record({some_row("cublas/fast", square(64), {4}, true), some_row("cairn", square(64), {1}),
                       some_row("cublas/fast", square(128), {1}, true), some_row("cairn", square(128), {1}),
                       some_row("cublas/fast", square(65), {16}, true), some_row("cairn", square(65), {1}),
                       some_row("cairn", square(72), {1})})};
}

TEST_F(PageTables, RatiosAreGeometricMeansWithAndWithoutOddLeadingDimensions) {
  const auto tables = tables_of({over_many_problems()}, "<!-- ratios:begin --><!-- ratios:end -->");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "ratios");
  EXPECT_EQ(tables[0].text,
            "| type | problems | geometric mean | without odd leading dimensions | worst | on             "
            "| record                                    |\n"
            "|------|---------:|---------------:|-------------------------------:|------:|----------------"
            "|-------------------------------------------|\n"
            "| f16  |   3 of 4 |          4.000 |                          2.000 | 1.000 | nn 128x128x128 "
            "| [many.json](results/many.json) at 0123456 |\n");
}

TEST_F(PageTables, RatiosNeedTheLibraryOnSeveralProblems) {
  EXPECT_THROW(tables_of({measured()}, "<!-- ratios:begin --><!-- ratios:end -->"), Error);
}

std::string complaint_about(const std::string& readme) {
  try {
    with_table(readme, {"ladder", "table\n"}, "R.md");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Markers, OnlyWhatIsBetweenThemChanges) {
  const MarkedTable table{"ladder", "table\n"};
  const std::string before = "# Title\r\n  text \n<!-- ladder:begin -->", after = "<!-- ladder:end -->\n\nno newline";
  const std::string first = with_table(before + after, table, "R.md");
  EXPECT_EQ(first, before + "\n\ntable\n\n" + after);
  EXPECT_EQ(with_table(first, table, "R.md"), first);
  EXPECT_EQ(with_table(before + "\nold\n\nold\n" + after, table, "R.md"), first);
}

TEST(Markers, MustBeThereOnceAndInOrder) {
  EXPECT_EQ(complaint_about("<!-- ladder:end -->"), "R.md has no marker <!-- ladder:begin -->");
  EXPECT_EQ(complaint_about("<!-- ladder:begin -->"), "R.md has no marker <!-- ladder:end -->");
  EXPECT_EQ(complaint_about("<!-- ladder:end --><!-- ladder:begin -->"),
            "R.md has <!-- ladder:end --> before <!-- ladder:begin -->");
  EXPECT_EQ(complaint_about("<!-- ladder:begin --><!-- ladder:begin --><!-- ladder:end -->"),
            "R.md has the marker <!-- ladder:begin --> more than once");
}

TEST(Shown, OneRecordIsAPageWithItsCommit) {
  const std::string page = pages({{"a.json", some_record()}}, Format::table);
  EXPECT_NE(page.find("simt/04_block_tile"), std::string::npos) << page;
  EXPECT_NE(page.find(some_record().build.commit), std::string::npos) << page;
  EXPECT_EQ(page.find("a.json"), std::string::npos) << page;
}

TEST(Shown, SeveralRecordsAreSeveralPages) {
  const std::string text = pages({{"a.json", some_record()}, {"b.json", some_record()}}, Format::md);
  EXPECT_TRUE(text.starts_with("a.json:\n")) << text;
  EXPECT_NE(text.find("\nb.json:\n"), std::string::npos) << text;
}

// One is timed, one has counters, and one failed: what the machine's table cannot hold is an alarm.
TEST(Shown, TogetherEveryRowHasItsRecord) {
  Record profile = some_record({some_row("simt/01", small_product(), {})});
  profile.kind = "profile";
  profile.rows[0].counters = {{"bank_conflicts", 12}, {"hit_rate", 0.5}};
  Row failed = some_row("simt/03", small_product(), {});
  failed.verified = "C[1] is 3; it must be 4";
  const Record bench = some_record({some_row("simt/02", small_product(), {1}), failed});
  const Report all = together({{"a.json", bench}, {"b.json", profile}});
  ASSERT_EQ(all.alarms.size(), 1u);
  EXPECT_TRUE(all.alarms[0].starts_with("a.json: FAILED")) << all.alarms[0];
  const auto rows = nlohmann::json::parse(render(all, Format::json));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["record"], "a.json");
  EXPECT_EQ(rows[0]["id"], "simt/02");
  EXPECT_EQ(rows[0]["problem"], "f32 nn 1000x1000x1000");
  EXPECT_EQ(rows[0]["tflops"], 2);
  EXPECT_TRUE(rows[0]["hit_rate"].is_null());
  EXPECT_EQ(rows[1]["record"], "b.json");
  EXPECT_EQ(rows[1]["bank_conflicts"], 12);
  EXPECT_EQ(rows[1]["hit_rate"], 0.5);
  EXPECT_TRUE(rows[1]["tflops"].is_null());
}

}  // namespace
}  // namespace cairn::lab::record
