// Callers whose cairn_problem is larger or smaller than the library's.
#include "src/api/c_problem.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.h"

namespace {

// As a later cairn.h may have it. `beyond` belongs to the caller and must survive every call.
struct Future {
  cairn_problem known = CAIRN_PROBLEM_INIT;
  std::int64_t later[2] = {};
  std::array<unsigned char, 64> beyond = {};

  Future() {
    known.size = offsetof(Future, beyond);
    beyond.fill(0xa5);
  }
  bool beyond_is_whole() const {
    return std::all_of(beyond.begin(), beyond.end(), [](unsigned char byte) { return byte == 0xa5; });
  }
};

class CProblem : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cairn_create(&handle, CAIRN_CPU), CAIRN_OK) << cairn_last_error(); }
  void TearDown() override { cairn_destroy(handle); }

  // The result of every function that takes a problem, called with this one. None may write anything.
  std::vector<cairn_status> everyone(cairn_problem* p) {
    std::vector<cairn_status> said;
    char text[64] = "?";
    std::size_t bytes = 7;
    float x = 3;
    cairn_plan plan = nullptr;
    said.push_back(cairn_problem_print(p, 0, text, sizeof text, nullptr));
    said.push_back(cairn_workspace_size(handle, p, &bytes));
    said.push_back(cairn_gemm(handle, p, 1, &x, &x, 0, &x));
    said.push_back(cairn_plan_create(&plan, handle, p));
    EXPECT_STREQ(text, "?");
    EXPECT_EQ(bytes, 7u);
    EXPECT_EQ(x, 3);
    EXPECT_EQ(plan, nullptr);
    return said;
  }

  cairn_handle handle = nullptr;
};

TEST_F(CProblem, InitSetsTheSizeAndNothingElse) {
  cairn_problem p = CAIRN_PROBLEM_INIT, zero;
  std::memset(&zero, 0, sizeof zero);
  zero.size = sizeof zero;
  EXPECT_EQ(std::memcmp(&p, &zero, sizeof p), 0);
  // Leading dimensions are at least 1, as in BLAS. Batch 0 is an empty batch: legal, and nothing is touched.
  p.in = p.out = CAIRN_F32, p.m = p.n = p.k = 1;
  float x = 3;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &x), CAIRN_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(cairn_last_error()).rfind("lda is 0", 0), 0u) << cairn_last_error();
  p.lda = p.ldb = p.ldc = 1;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &x), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(x, 3);
  p.batch = 1;
  float product = 0;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &product), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(product, 9);
}

TEST_F(CProblem, TheFirstLayoutStays) {
  // Programs of 0.2 have these numbers compiled in.
  const std::size_t offsets[] = {offsetof(cairn_problem, size),
                                 offsetof(cairn_problem, in),
                                 offsetof(cairn_problem, out),
                                 offsetof(cairn_problem, compute),
                                 offsetof(cairn_problem, order),
                                 offsetof(cairn_problem, op_a),
                                 offsetof(cairn_problem, op_b),
                                 offsetof(cairn_problem, m),
                                 offsetof(cairn_problem, n),
                                 offsetof(cairn_problem, k),
                                 offsetof(cairn_problem, lda),
                                 offsetof(cairn_problem, ldb),
                                 offsetof(cairn_problem, ldc),
                                 offsetof(cairn_problem, batch),
                                 offsetof(cairn_problem, stride_a),
                                 offsetof(cairn_problem, stride_b),
                                 offsetof(cairn_problem, stride_c),
                                 offsetof(cairn_problem, invariant),
                                 offsetof(cairn_problem, bias),
                                 offsetof(cairn_problem, stride_bias),
                                 offsetof(cairn_problem, scale_a),
                                 offsetof(cairn_problem, scale_b),
                                 offsetof(cairn_problem, stride_scale_b),
                                 offsetof(cairn_problem, groups)};
  const std::size_t expected[] = {0,  8,  12, 16, 20,  24,  28,  32,  40,  48,  56,  64,
                                  72, 80, 88, 96, 104, 112, 116, 136, 144, 148, 160, 168};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(offsets[i], expected[i]) << "field " << i;
}

TEST_F(CProblem, ALargerOneWithZerosBehindWorks) {
  Future f;
  f.later[0] = f.later[1] = -1;  // must become 0: the library does not know these fields
  ASSERT_EQ(cairn_problem_parse(&f.known, "f32 nn 2x2x3"), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(f.known.size, offsetof(Future, beyond));
  EXPECT_EQ(f.known.batch, 1);
  EXPECT_EQ(f.later[0], 0);
  EXPECT_EQ(f.later[1], 0);
  EXPECT_TRUE(f.beyond_is_whole());
  const float A[] = {1, 2, 3, 4, 5, 6}, B[] = {7, 8, 9, 10, 11, 12};
  float C[4] = {};
  ASSERT_EQ(cairn_gemm(handle, &f.known, 1, A, B, 0, C), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(C[0], 58);
  EXPECT_EQ(C[3], 154);

  f.later[0] = f.later[1] = -1;
  ASSERT_EQ(cairn_problem_packed(&f.known, CAIRN_F32, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 2, 2, 3), CAIRN_OK);
  EXPECT_EQ(f.known.size, offsetof(Future, beyond));
  EXPECT_EQ(f.later[0], 0);
  EXPECT_EQ(f.later[1], 0);
  EXPECT_TRUE(f.beyond_is_whole());
}

TEST_F(CProblem, ALargerOneThatUsesAnUnknownFieldIsUnsupported) {
  Future f;
  ASSERT_EQ(cairn_problem_parse(&f.known, "f32 nn 1x1x1"), CAIRN_OK);
  auto* bytes = reinterpret_cast<unsigned char*>(&f);
  for (const std::size_t at : {sizeof(cairn_problem), f.known.size - 1}) {  // the first unknown byte, and the last
    bytes[at] = 1;
    for (const cairn_status status : everyone(&f.known)) {
      EXPECT_EQ(status, CAIRN_UNSUPPORTED) << at;
    }
    EXPECT_NE(std::string(cairn_last_error()).find("a field that this version of the library does not know"),
              std::string::npos)
        << cairn_last_error();
    bytes[at] = 0;
  }
}

TEST_F(CProblem, InvariantIsReadPrintedAndChecked) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 1x1x1 invariant=columns"), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(p.invariant, CAIRN_INVARIANT_COLUMNS);
  p.invariant = CAIRN_INVARIANT_ROWS;
  char text[64];
  ASSERT_EQ(cairn_problem_print(&p, 0, text, sizeof text, nullptr), CAIRN_OK) << cairn_last_error();
  EXPECT_STREQ(text, "f32 nn 1x1x1 invariant=rows");
  const float x = 3;
  float product = 0;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &product), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(product, 9);
  p.invariant = 3;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &product), CAIRN_INVALID_ARGUMENT);
  EXPECT_STREQ(cairn_last_error(), "invariant is 3; it must be from 0 to 2");
  p.invariant = 0, p.reserved = 1;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &product), CAIRN_UNSUPPORTED);
  EXPECT_STREQ(cairn_last_error(), "reserved is 1; it must be 0");
  // A program whose header has no such field means none, and cannot be given one.
  p.size = offsetof(cairn_problem, invariant);
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &x, &x, 0, &product), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(cairn_problem_parse(&p, "f32 nn 1x1x1 invariant=rows"), CAIRN_UNSUPPORTED);
}

TEST_F(CProblem, AnEpilogueIsReadPrintedAndRun) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 1x2x1 bias=columns activation=relu before=stored"), CAIRN_OK)
      << cairn_last_error();
  EXPECT_EQ(p.bias, CAIRN_BIAS_COLUMNS);
  EXPECT_EQ(p.bias_type, CAIRN_F32);
  EXPECT_EQ(p.activation, CAIRN_RELU);
  EXPECT_EQ(p.before, CAIRN_BEFORE_STORED);
  char text[80];
  ASSERT_EQ(cairn_problem_print(&p, 0, text, sizeof text, nullptr), CAIRN_OK) << cairn_last_error();
  EXPECT_STREQ(text, "f32 nn 1x2x1 bias=columns activation=relu before=stored");

  const float a = 3, b[2] = {1, -1}, bias[2] = {10, 1};
  float c[2] = {}, before[2] = {};
  cairn_operands data = CAIRN_OPERANDS_INIT;
  data.A = &a, data.B = b, data.C = c, data.bias = bias, data.before = before;
  ASSERT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(c[0], 13);
  EXPECT_EQ(c[1], 0);
  EXPECT_EQ(before[1], -2);

  EXPECT_EQ(cairn_gemm(handle, &p, 1, &a, b, 0, c), CAIRN_INVALID_ARGUMENT);
  EXPECT_STREQ(cairn_last_error(),
               "bias is null; it must point to the vector unless the problem's bias is none, or m, n or batch is 0");
  data.before = c;
  EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_INVALID_ARGUMENT);
  EXPECT_STREQ(cairn_last_error(), "before overlaps C; what is written must not share memory with anything else");
  data.size = 8;
  EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_INVALID_ARGUMENT);
  EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 0, nullptr), CAIRN_INVALID_ARGUMENT);
  p.activation = 5;
  EXPECT_EQ(cairn_gemm(handle, &p, 1, &a, b, 0, c), CAIRN_INVALID_ARGUMENT);
  EXPECT_STREQ(cairn_last_error(), "activation is 5; it must be from 0 to 4");
}

TEST_F(CProblem, ScalesAreReadPrintedAndRun) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 2x2x1 scale_a=vector scale_b=tensor"), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(p.scale_a, CAIRN_SCALE_VECTOR);
  EXPECT_EQ(p.scale_b, CAIRN_SCALE_TENSOR);
  char text[80];
  ASSERT_EQ(cairn_problem_print(&p, 0, text, sizeof text, nullptr), CAIRN_OK) << cairn_last_error();
  EXPECT_STREQ(text, "f32 nn 2x2x1 scale_a=vector scale_b=tensor");

  const float a[2] = {1, 2}, b[2] = {3, 5}, rows[2] = {10, 100}, all = 2;
  for (const cairn_order order : {CAIRN_ROW, CAIRN_COLUMN}) {
    p.order = order;
    p.lda = order == CAIRN_ROW ? 1 : 2, p.ldb = order == CAIRN_ROW ? 2 : 1;
    float c[4] = {1, 1, 1, 1};
    cairn_operands data = CAIRN_OPERANDS_INIT;
    data.A = a, data.B = b, data.C = c, data.scale_a = rows, data.scale_b = &all;
    ASSERT_EQ(cairn_gemm_operands(handle, &p, 1, 1, &data), CAIRN_OK) << cairn_last_error();
    const float want[2][2] = {{61, 101}, {1201, 2001}};  // beta * C is not scaled
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) EXPECT_EQ(c[order == CAIRN_ROW ? i * 2 + j : j * 2 + i], want[i][j]) << order;
    data.scale_a = nullptr;
    EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 1, &data), CAIRN_INVALID_ARGUMENT);
    EXPECT_STREQ(cairn_last_error(),
                 "scale_a is null; it must point to the scales unless alpha, m, n, k or batch is 0");
    EXPECT_EQ(cairn_gemm_operands(handle, &p, 0, 1, &data), CAIRN_OK) << cairn_last_error();
    data.scale_a = c + 2;
    EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 1, &data), CAIRN_INVALID_ARGUMENT);
    EXPECT_STREQ(cairn_last_error(), "C overlaps scale_a; what is written must not share memory with anything else");
  }
}

TEST_F(CProblem, GroupsAreReadPrintedAndRun) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 4x1x1 groups=3"), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(p.groups, 3);
  char text[80];
  ASSERT_EQ(cairn_problem_print(&p, 0, text, sizeof text, nullptr), CAIRN_OK) << cairn_last_error();
  EXPECT_STREQ(text, "f32 nn 4x1x1 groups=3");

  const float a[4] = {1, 2, 3, 4}, b[3] = {10, 100, 1000};
  float c[4] = {-1, -1, -1, -1};
  const std::int32_t ends[3] = {1, 1, 3};  // the second group is empty, and the last row in none
  cairn_operands data = CAIRN_OPERANDS_INIT;
  data.A = a, data.B = b, data.C = c, data.ends = ends;
  ASSERT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_OK) << cairn_last_error();
  const float want[4] = {10, 2000, 3000, -1};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(c[i], want[i]) << i;

  const std::int32_t wild[3] = {2, -7, 1 << 30};  // cut to what there is
  data.ends = wild;
  ASSERT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_OK) << cairn_last_error();
  const float cut[4] = {10, 20, 3000, 4000};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(c[i], cut[i]) << i;

  data.ends = nullptr;
  EXPECT_EQ(cairn_gemm_operands(handle, &p, 1, 0, &data), CAIRN_INVALID_ARGUMENT);
  EXPECT_STREQ(cairn_last_error(), "ends is null; it must point to the ends of the groups unless m or n is 0");
}

TEST_F(CProblem, ASizeThatNoVersionHasIsRefused) {
  const std::size_t first = offsetof(cairn_problem, stride_c) + sizeof(std::int64_t);
  // Not set; 0.1's layout, where `in` and `out` stood here (both f32); too small, half a field, too large.
  for (const std::size_t size : {std::size_t{0}, std::size_t{1} << 32 | 1, first - 8, first + 4, std::size_t{4104},
                                 ~std::size_t{0}, ~std::size_t{7}}) {
    cairn_problem p = CAIRN_PROBLEM_INIT;
    ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 1x1x1"), CAIRN_OK);
    p.size = size;
    const cairn_problem before = p;
    std::vector<cairn_status> said = everyone(&p);
    said.push_back(cairn_problem_parse(&p, "f16 nt 4x5x6"));
    said.push_back(cairn_problem_packed(&p, CAIRN_F16, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_T, 4, 5, 6));
    for (const cairn_status status : said) EXPECT_EQ(status, CAIRN_INVALID_ARGUMENT) << size;
    EXPECT_EQ(std::memcmp(&p, &before, sizeof p), 0) << size;
    const std::string message = cairn_last_error();
    EXPECT_EQ(message.rfind(
                  "problem->size is " + std::to_string(size) + "; it must be at least " + std::to_string(first), 0),
              0u)
        << message;
    EXPECT_NE(message.find("CAIRN_PROBLEM_INIT"), std::string::npos) << message;
  }
}

TEST_F(CProblem, TheLargestSizeIsReadToItsEnd) {
  std::vector<std::int64_t> memory(4096 / sizeof(std::int64_t));
  auto* p = reinterpret_cast<cairn_problem*>(memory.data());
  p->size = 4096;
  ASSERT_EQ(cairn_problem_parse(p, "f32 nn 1x1x1"), CAIRN_OK) << cairn_last_error();
  memory.back() = 1;
  for (const cairn_status status : everyone(p)) EXPECT_EQ(status, CAIRN_UNSUPPORTED);
}

// The library's struct is still the first one, so a smaller caller is tried here on structs of bytes.
TEST(CopyVersion, WhatOnlyTheTargetHasBecomesZero) {
  const unsigned char from[4] = {1, 2, 3, 4};
  unsigned char to[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  ASSERT_TRUE(cairn::api::copy_version(from, 4, to, 6));
  const unsigned char expected[8] = {1, 2, 3, 4, 0, 0, 9, 9};
  EXPECT_EQ(std::memcmp(to, expected, sizeof to), 0);
}

TEST(CopyVersion, WhatOnlyTheSourceHasMustBeZero) {
  unsigned char from[4] = {1, 2, 0, 0}, to[4] = {9, 9, 9, 9};
  ASSERT_TRUE(cairn::api::copy_version(from, 4, to, 2));
  const unsigned char expected[4] = {1, 2, 9, 9};
  EXPECT_EQ(std::memcmp(to, expected, sizeof to), 0);
  from[0] = 5, from[3] = 1;
  EXPECT_FALSE(cairn::api::copy_version(from, 4, to, 2));
  EXPECT_EQ(std::memcmp(to, expected, sizeof to), 0) << "a refused copy wrote";
}

}  // namespace
