// What the pages of the trail show from records: a rung next to its parent and to the rung before it.
#include "lab/record/trail_pages.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/record/page_tables.hpp"
#include "lab/record/table_parts.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

Problem square(Type type, Compute compute = Compute::native, Op op_b = Op::none) {
  Problem p = Problem::packed(type, Op::none, op_b, 4096, 4096, 4096);
  p.compute = compute;
  return p;
}

// 137.438953472e9 operations.
Named on_cuda_cores() {
  const Problem f32 = square(Type::f32);
  return {"../../results/x.json",
          some_record({some_row("cublas/fast", f32, {2}, true), some_row("simt/12_a_transposed_vec4", f32, {4.04}),
                       some_row("simt/13_bank_linear", f32, {3.2}), some_row("simt/14_bank_pad", f32, {4}),
                       some_row("simt/21_cp_async", f32, {5}), some_row("probe/copy", f32, {0.04}),
                       some_row("probe/fma_peak", f32, {3})})};
}

Named on_tensor_cores() {
  const Problem tf32 = square(Type::f32, Compute::tf32), bf16 = square(Type::bf16, Compute::native, Op::transpose);
  Problem larger = Problem::packed(Type::bf16, Op::none, Op::transpose, 8192, 8192, 8192);
  Record record = some_record(
      {some_row("tensor/32_wmma_tf32_stage2", tf32, {2}), some_row("tensor/37_mma_register_pipeline", bf16, {0.4}),
       some_row("tensor/38_mma_block_order", bf16, {0.2}), some_row("tensor/37_mma_register_pipeline", larger, {4}),
       some_row("tensor/38_mma_block_order", larger, {3.2}), some_row("cublas/fast", bf16, {0.1}, true),
       some_row("cublas/fast", larger, {0.8}, true)});
  record.ceilings.mma_tflops = {{"bf16", 400}, {"tf32", 200}};
  return {"../../results/t.json", record};
}

// A tree with the heads of a few rungs, and two pages of the trail.
class TrailPages : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(trail_);
    head("simt/14_bank_pad", "simt/12_a_transposed_vec4");
    head("simt/12_a_transposed_vec4", "-");
    head("tensor/32_wmma_tf32_stage2", "simt/21_cp_async");
    head("tensor/38_mma_block_order", "tensor/37_mma_register_pipeline");
    head("simt/22_pipelined", "simt/21_cp_async");
    std::ofstream(trail_ / "simt_13_bank_linear.md") << "a page\n";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void head(const std::string& id, const std::string& parent) {
    const auto file = root_ / "kernels" / (id + ".cu");
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "// a rung\n//\n// From    " << parent << "\n";
  }

  std::string of(std::string_view id, const std::vector<Named>& records) {
    const auto all = cards();
    const auto rung = std::ranges::find_if(all, [&](const Rung* one) { return one->id == id; });
    return rung == all.end() ? "no such rung" : brought(**rung, records, trail_);
  }

  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("cairn_trail_" + std::to_string(::getpid()));
  const std::filesystem::path trail_ = root_ / "docs/trail";
};

TEST(Verdict, IsLevelWithinOnePercent) {
  EXPECT_EQ(verdict(1.0122), "faster");
  EXPECT_EQ(verdict(1.0104), "level");
  EXPECT_EQ(verdict(1.0106), "faster");
  EXPECT_EQ(verdict(0.9966), "level");
  EXPECT_EQ(verdict(0.9896), "level");
  EXPECT_EQ(verdict(0.9894), "a step back");
}

TEST_F(TrailPages, ARungIsComparedWithItsParentAndWithTheRungBeforeIt) {
  EXPECT_EQ(of("simt/14_bank_pad", {on_tensor_cores(), on_cuda_cores()}),
            "**NVIDIA H200**, CUDA 13.0, cuBLAS 13.1.0 · 4096x4096x4096, cold caches · "
            "[x.json](../../results/x.json) at 0123456.\n"
            "\n"
            "| rung                                                              | type   |    ms | TFLOP/s "
            "| % of the strongest baseline | speed of simt/14 against it |\n"
            "|-------------------------------------------------------------------|--------|------:|--------:"
            "|----------------------------:|-----------------------------|\n"
            "| simt/12_a_transposed_vec4, its parent                             | f32 nn | 4.040 |   34.02 "
            "|                        49.5 | 1.010, level                |\n"
            "| [simt/13_bank_linear](simt_13_bank_linear.md), the rung before it | f32 nn | 3.200 |   42.95 "
            "|                        62.5 | 0.800, a step back          |\n"
            "| **simt/14_bank_pad**                                              | f32 nn | 4.000 |   34.36 "
            "|                        50.0 |                             |\n");
}

TEST_F(TrailPages, TheFirstOfATrailStandsAlone) {
  const std::string text = of("simt/12_a_transposed_vec4", {on_cuda_cores()});
  EXPECT_EQ(text.find("against it"), std::string::npos) << text;
  EXPECT_NE(text.find("| **simt/12_a_transposed_vec4** | f32 nn | 4.040 |   34.02 |"), std::string::npos) << text;
}

TEST_F(TrailPages, AParentInAnotherArithmeticHasNoVerdict) {
  const std::string text = of("tensor/32_wmma_tf32_stage2", {on_cuda_cores(), on_tensor_cores()});
  EXPECT_NE(text.find("| simt/21_cp_async, its parent, in [x.json](../../results/x.json) at 0123456 | f32 nn "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| 2.500, in another arithmetic"), std::string::npos) << text;
}

TEST_F(TrailPages, TheOtherProblemsOfTheRecordAreASentence) {
  const std::string text = of("tensor/38_mma_block_order", {on_tensor_cores()});
  EXPECT_NE(text.find("| 2.000, faster"), std::string::npos) << text;
  EXPECT_NE(
      text.find("\nOn the record's other problem it is 1.250 times as fast as tensor/37 and reaches 25.0 % of the "
                "strongest baseline.\n"),
      std::string::npos)
      << text;
}

TEST_F(TrailPages, AProbeShowsTheCeilingsOfEachRecord) {
  const std::string text = of("probe/mma_peak", {on_cuda_cores(), on_tensor_cores()});
  EXPECT_EQ(text.find("x.json"), std::string::npos) << text;
  EXPECT_NE(text.find("| NVIDIA H200, [t.json](../../results/t.json) at 0123456 | 400.0 TFLOP/s of bf16, 200.0 "
                      "TFLOP/s of tf32 |\n"),
            std::string::npos)
      << text;
}

TEST_F(TrailPages, ARungInNoRecordSaysSo) {
  EXPECT_EQ(of("simt/22_pipelined", {on_cuda_cores()}), "No record has simt/22_pipelined yet.\n");
}

TEST_F(TrailPages, StepsAreListedByTheirVerdict) {
  EXPECT_EQ(steps({on_cuda_cores(), on_tensor_cores()}, trail_),
            "The speed of each rung against the one before it, **NVIDIA H200**, 4096x4096x4096 · "
            "[x.json](../../results/x.json) at 0123456, [t.json](../../results/t.json) at 0123456.\n"
            "\n"
            "- A step back: simt/14_bank_pad 0.800, simt/21_cp_async 0.800.\n"
            "- Faster: the other 2.\n");
}

TEST_F(TrailPages, TheNameOfAPageSaysWhoseItIs) {
  const std::string page = "<!-- brought:begin --><!-- brought:end -->";
  const auto tables = page_tables(page, {on_cuda_cores()}, trail_, "docs/trail/simt_14_bank_pad.md");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].text, of("simt/14_bank_pad", {on_cuda_cores()}));
  EXPECT_THROW(page_tables(page, {on_cuda_cores()}, trail_, "docs/trail/simt_99.md"), Error);
  EXPECT_THROW(page_tables("<!-- steps:begin --><!-- steps:end -->", {{"s.json", some_record()}}, trail_, "R.md"),
               Error);
}

}  // namespace
}  // namespace cairn::lab::record
