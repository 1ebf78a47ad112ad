// Epilogues, scales and groups of rows under the detectors: nothing is read or written outside of what a problem has, and
// the results are those of cpu/reference.
#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

Problem parsed(const std::string& text) {
  Problem p;
  EXPECT_TRUE(parse(text, p).ok()) << text;
  return p;
}

TEST(Epilogues, OfEveryRungThatHasThemAreClean) {
  for (const char* asks : {"bias=columns activation=gelu", "bias=rows activation=silu before=stored",
                           "scale_a=vector scale_b=vector activation=relu", "scale_b=tensor"}) {
    expect_clean("simt/22_pipelined", 2, parsed("f32 nt 70x66x40 " + std::string(asks)), 1);
    expect_clean("tensor/39_mma_stream_k", 0, parsed("bf16 nn 70x66x72 bias_type=bf16 " + std::string(asks)), 2);
    expect_clean("hopper/59_summit", 7, parsed("bf16 tn 136x72x72 " + std::string(asks)), 3);
  }
}

TEST(Epilogues, ScalesOfBlocksAreClean) {
  // More k-steps than stages, so that the scales of one come where those of another were.
  const std::string problem = "e4m3:bf16 nt 140x136x1040 ", of_rows = "scale_a=vector_blocks scale_b=blocks";
  expect_clean("hopper/59_summit", 0, parsed(problem + of_rows), 1);
  for (const std::string& scales : {of_rows, std::string("scale_a=blocks scale_b=vector_blocks")}) {
    for (const int tile : {4, 7, 34})  // 34: turned
      expect_clean("hopper/59_summit", tile, parsed(problem + scales), 1);
  }
}

// Empty groups too: drawn ones of 5 rows by 9 groups.
TEST(Epilogues, GroupsOfRowsAreClean) {
  for (const char* shape : {"150x72x64 groups=3", "5x72x64 groups=9"}) {
    expect_clean("simt/22_pipelined", 2, parsed("f32 nn " + std::string(shape) + " bias=columns stride_bias=80"), 1);
    expect_clean("tensor/39_mma_stream_k", 0, parsed("f16 nn " + std::string(shape)), 3);
    for (const int tile : {7, 10, 34})
      expect_clean("hopper/59_summit", tile, parsed("f16 nt " + std::string(shape)), 2);
  }
}

}  // namespace
}  // namespace cairn::lab::trace
