// The C API gives the results and messages of the C++ API.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.h"
#include "cairn/cairn.hpp"

namespace {

class CApi : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cairn_create(&handle, CAIRN_CPU), CAIRN_OK) << cairn_last_error(); }
  void TearDown() override { cairn_destroy(handle); }

  // The call must be refused, and the message begin with the argument's name.
  static void refused(cairn_status status, const std::string& argument) {
    EXPECT_EQ(status, CAIRN_INVALID_ARGUMENT) << argument;
    EXPECT_EQ(std::string(cairn_last_error()).rfind(argument, 0), 0u) << argument << " | " << cairn_last_error();
  }

  cairn_handle handle = nullptr;
};

TEST_F(CApi, EnumsAreTheSameNumbersInBothFaces) {
  EXPECT_EQ(static_cast<int>(cairn::Type::e4m3), CAIRN_E4M3);
  EXPECT_EQ(static_cast<int>(cairn::Type::f64), CAIRN_F64);
  EXPECT_EQ(static_cast<int>(cairn::Order::column), CAIRN_COLUMN);
  EXPECT_EQ(static_cast<int>(cairn::Op::transpose), CAIRN_OP_T);
  EXPECT_EQ(static_cast<int>(cairn::Compute::split), CAIRN_SPLIT);
  EXPECT_EQ(static_cast<int>(cairn::Compute::fast), CAIRN_FAST);
  EXPECT_EQ(static_cast<int>(cairn::Code::internal_error), CAIRN_INTERNAL_ERROR);
  EXPECT_EQ(static_cast<int>(cairn::Code::workspace_too_small), CAIRN_WORKSPACE_TOO_SMALL);
  EXPECT_STREQ(cairn_status_name(CAIRN_DEVICE_ERROR), "device_error");
  EXPECT_STREQ(cairn_version(), cairn::version());
}

TEST_F(CApi, MultipliesAndTransposesOnCToo) {
  const float A[] = {1, 2, 3, 4}, B[] = {5, 6, 7, 8};
  float C[4] = {};
  ASSERT_EQ(cairn_gemm_f32(handle, CAIRN_ROW, CAIRN_OP_C, CAIRN_OP_N, 2, 2, 2, 1, A, 2, B, 2, 0, C, 2), CAIRN_OK);
  EXPECT_EQ(C[0], 26);
  EXPECT_EQ(C[1], 30);
  EXPECT_EQ(C[2], 38);
  EXPECT_EQ(C[3], 44);
  EXPECT_STREQ(cairn_last_error(), "");
}

TEST_F(CApi, EveryTypedCallReachesItsType) {
  const double d = 3;
  double rd = 0;
  EXPECT_EQ(cairn_gemm_f64(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 1, 1, &d, 1, &d, 1, 0, &rd, 1), CAIRN_OK);
  EXPECT_EQ(rd, 9);
  const cairn_f16 h = 0x4200;  // 3
  cairn_f16 rh = 0;
  EXPECT_EQ(cairn_gemm_f16(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 1, 1, &h, 1, &h, 1, 0, &rh, 1), CAIRN_OK);
  EXPECT_EQ(rh, 0x4880);  // 9
  const cairn_bf16 b = 0x4040;
  cairn_bf16 rb = 0;
  EXPECT_EQ(cairn_gemm_bf16(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 1, 1, &b, 1, &b, 1, 0, &rb, 1),
            CAIRN_OK);
  EXPECT_EQ(rb, 0x4110);
  const cairn_e4m3 e = 0x44;
  cairn_e4m3 re = 0;
  EXPECT_EQ(cairn_gemm_e4m3(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 1, 1, &e, 1, &e, 1, 0, &re, 1),
            CAIRN_OK);
  EXPECT_EQ(re, 0x51);
}

TEST_F(CApi, ProblemsParsePrintAndPack) {
  cairn_problem p = CAIRN_PROBLEM_INIT, q = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_packed(&p, CAIRN_BF16, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_T, 4, 5, 6), CAIRN_OK);
  ASSERT_EQ(cairn_problem_parse(&q, "bf16 nt 4x5x6"), CAIRN_OK);
  EXPECT_EQ(std::memcmp(&p, &q, sizeof p), 0);
  size_t needed = 0;
  ASSERT_EQ(cairn_problem_print(&p, 0, nullptr, 0, &needed), CAIRN_OK);
  std::vector<char> text(needed);
  ASSERT_EQ(cairn_problem_print(&p, 0, text.data(), needed, nullptr), CAIRN_OK);
  EXPECT_STREQ(text.data(), "bf16 nt 4x5x6");
  text[0] = '?';
  refused(cairn_problem_print(&p, 0, text.data(), needed - 1, nullptr), "size is");
  EXPECT_EQ(text[0], '?');
  ASSERT_EQ(cairn_problem_print(&p, 1, nullptr, 0, &needed), CAIRN_OK);
  text.resize(needed);
  ASSERT_EQ(cairn_problem_print(&p, 1, text.data(), needed, nullptr), CAIRN_OK);
  ASSERT_EQ(cairn_problem_parse(&q, text.data()), CAIRN_OK);
  EXPECT_EQ(std::memcmp(&p, &q, sizeof p), 0);
}

TEST_F(CApi, PlansSayWhyAndRun) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f16:f32 nn 1x1x2"), CAIRN_OK);
  cairn_plan plan = nullptr;
  ASSERT_EQ(cairn_plan_create(&plan, handle, &p), CAIRN_OK) << cairn_last_error();
  const char *id = nullptr, *tile = nullptr, *why = nullptr;
  size_t planned = 0, asked = 1;
  ASSERT_EQ(cairn_plan_id(plan, &id), CAIRN_OK);
  ASSERT_EQ(cairn_plan_tile(plan, &tile), CAIRN_OK);
  EXPECT_STREQ(tile, "");
  ASSERT_EQ(cairn_plan_why(plan, &why), CAIRN_OK);
  EXPECT_NE(std::string(why).find(std::string(id) + ": chosen"), std::string::npos);
  ASSERT_EQ(cairn_plan_workspace(plan, &planned), CAIRN_OK);
  ASSERT_EQ(cairn_workspace_size(handle, &p, &asked), CAIRN_OK);
  EXPECT_EQ(planned, asked);
  const cairn_f16 A[] = {0x3c00, 0x4000}, B[] = {0x4000, 0x4000};  // 1 2, 2 2
  float c = -1;
  ASSERT_EQ(cairn_run(handle, plan, 2, A, B, 0.5, &c), CAIRN_OK);
  EXPECT_EQ(c, 11.5f);
  cairn_plan_destroy(plan);
}

// A named rung is run, and not the one that the library would choose; memory of the host is the emulator's too.
TEST_F(CApi, ANamedRungRunsInsteadOfTheChosenOne) {
  cairn_handle emu = nullptr;
  ASSERT_EQ(cairn_create(&emu, CAIRN_EMU), CAIRN_OK) << cairn_last_error();
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "f32 nn 33x35x37"), CAIRN_OK);
  const std::vector<float> A(33 * 37, 2), B(37 * 35, 3);
  for (const char* name : {"simt/04", "simt/18@1", "tensor/40"}) {
    if (std::string(name) == "tensor/40") p.compute = CAIRN_SPLIT;
    cairn_plan plan = nullptr;
    ASSERT_EQ(cairn_plan_create_named(&plan, emu, &p, name), CAIRN_OK) << cairn_last_error();
    const char *id = nullptr, *why = nullptr;
    ASSERT_EQ(cairn_plan_id(plan, &id), CAIRN_OK);
    EXPECT_EQ(std::string(id).rfind(std::string(name).substr(0, std::string(name).find('@')), 0), 0u) << id;
    ASSERT_EQ(cairn_plan_why(plan, &why), CAIRN_OK);
    EXPECT_NE(std::string(why).find("asked for by name"), std::string::npos) << why;
    std::vector<float> C(33 * 35, -1);
    ASSERT_EQ(cairn_run(emu, plan, 1, A.data(), B.data(), 0, C.data()), CAIRN_OK) << cairn_last_error();
    for (const float c : C) ASSERT_EQ(c, 2 * 3 * 37) << name;
    cairn_plan_destroy(plan);
  }
  // The handle keeps plans by problem, and a named one is not what the library chooses the next time.
  p.compute = CAIRN_NATIVE;
  cairn_plan own = nullptr;
  const char* id = nullptr;
  ASSERT_EQ(cairn_plan_create(&own, emu, &p), CAIRN_OK) << cairn_last_error();
  ASSERT_EQ(cairn_plan_id(own, &id), CAIRN_OK);
  EXPECT_TRUE(std::string_view(id).starts_with("simt/2")) << id << ", and not a named one";
  cairn_plan_destroy(own);
  cairn_destroy(emu);
}

TEST_F(CApi, RungsAreListedFromTheBottomOfTheLadder) {
  ASSERT_GT(cairn_rung_count(), 40u);
  EXPECT_STREQ(cairn_rung_id(0), "simt/01_naive");
  EXPECT_STREQ(cairn_rung_id(cairn_rung_count() - 1), "hopper/61_f16x3");
  EXPECT_EQ(cairn_rung_id(cairn_rung_count()), nullptr);
}

TEST_F(CApi, NullAndUnknownArgumentsAreRefusedByName) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "1x1x1"), CAIRN_OK);
  float x = 3;
  size_t bytes = 0;
  void* stream = nullptr;
  refused(cairn_create(nullptr, CAIRN_CPU), "handle is null");
  refused(cairn_gemm(nullptr, &p, 1, &x, &x, 0, &x), "handle is null");
  refused(cairn_gemm(handle, nullptr, 1, &x, &x, 0, &x), "problem is null");
  refused(cairn_gemm(handle, &p, 1, nullptr, &x, 0, &x), "A is null");
  refused(cairn_problem_parse(nullptr, "1x1x1"), "problem is null");
  refused(cairn_problem_parse(&p, nullptr), "text is null");
  refused(cairn_problem_print(&p, 0, nullptr, 5, nullptr), "text is null");
  refused(cairn_workspace_size(handle, &p, nullptr), "bytes is null");
  refused(cairn_workspace_size(nullptr, &p, &bytes), "handle is null");
  refused(cairn_get_stream(handle, nullptr), "stream is null");
  refused(cairn_get_stream(nullptr, &stream), "handle is null");
  refused(cairn_set_stream(nullptr, nullptr), "handle is null");
  refused(cairn_set_workspace(nullptr, nullptr, 0), "handle is null");
  refused(cairn_get_device(handle, nullptr), "device is null");
  refused(cairn_plan_create(nullptr, handle, &p), "plan is null");
  refused(cairn_plan_create_named(nullptr, handle, &p, "simt/04"), "plan is null");
  refused(cairn_run(handle, nullptr, 1, &x, &x, 0, &x), "plan is null");
  const char* text = nullptr;
  refused(cairn_plan_id(nullptr, &text), "plan is null");
  refused(cairn_plan_tile(nullptr, &text), "plan is null");
  refused(cairn_plan_why(nullptr, &text), "plan is null");
  refused(cairn_plan_workspace(nullptr, &bytes), "plan is null");
  cairn_plan plan = nullptr;
  refused(cairn_plan_create_named(&plan, handle, &p, nullptr), "rung is null");
  EXPECT_EQ(cairn_plan_create_named(&plan, handle, &p, "simt/04"), CAIRN_UNSUPPORTED) << "the CPU has no rungs";
  ASSERT_EQ(cairn_plan_create(&plan, handle, &p), CAIRN_OK);
  refused(cairn_plan_id(plan, nullptr), "id is null");
  refused(cairn_plan_tile(plan, nullptr), "tile is null");
  refused(cairn_plan_why(plan, nullptr), "why is null");
  refused(cairn_plan_workspace(plan, nullptr), "bytes is null");
  cairn_plan_destroy(plan);
  refused(cairn_create(&handle, -9), "device is -9");
  for (int32_t cairn_problem::*field : {&cairn_problem::in, &cairn_problem::out, &cairn_problem::compute,
                                        &cairn_problem::order, &cairn_problem::op_a, &cairn_problem::op_b}) {
    for (const int32_t value : {-1, 5, 1 << 30}) {
      cairn_problem bad = p;
      bad.*field = value;
      EXPECT_EQ(cairn_gemm(handle, &bad, 1, &x, &x, 0, &x), CAIRN_INVALID_ARGUMENT);
      EXPECT_NE(std::string(cairn_last_error()).find(std::to_string(value)), std::string::npos);
    }
  }
  EXPECT_EQ(x, 3);
  cairn_destroy(nullptr);
  cairn_plan_destroy(nullptr);
}

// Destroyed objects and other memory are told from live ones by their addresses; nothing behind them is read.
TEST_F(CApi, DestroyedAndForeignObjectsAreRefused) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "1x1x1"), CAIRN_OK);
  cairn_plan plan = nullptr;
  ASSERT_EQ(cairn_plan_create(&plan, handle, &p), CAIRN_OK);
  const float a = 2, b = 3;
  float c = 7;
  ASSERT_EQ(cairn_run(handle, plan, 1, &a, &b, 0, &c), CAIRN_OK);
  EXPECT_EQ(cairn_plan_destroy(plan), CAIRN_OK);
  refused(cairn_plan_destroy(plan), "plan is not");
  refused(cairn_run(handle, plan, 1, &a, &b, 0, &c), "plan is not");
  size_t bytes = 0;
  refused(cairn_plan_workspace(plan, &bytes), "plan is not");

  cairn_handle other = nullptr;
  ASSERT_EQ(cairn_create(&other, CAIRN_CPU), CAIRN_OK);
  ASSERT_EQ(cairn_gemm(other, &p, 1, &a, &b, 0, &c), CAIRN_OK);
  EXPECT_EQ(cairn_destroy(other), CAIRN_OK);
  refused(cairn_destroy(other), "handle is not");
  c = 7;
  refused(cairn_gemm(other, &p, 1, &a, &b, 0, &c), "handle is not");
  refused(cairn_plan_create(&plan, other, &p), "handle is not");

  char junk[64] = {};
  refused(cairn_destroy(reinterpret_cast<cairn_handle>(junk)), "handle is not");
  refused(cairn_destroy(reinterpret_cast<cairn_handle>(std::uintptr_t{3})), "handle is not");
  refused(cairn_gemm(reinterpret_cast<cairn_handle>(junk), &p, 1, &a, &b, 0, &c), "handle is not");
  refused(cairn_plan_destroy(reinterpret_cast<cairn_plan>(handle)), "plan is not");  // the wrong kind
  EXPECT_EQ(c, 7);
  ASSERT_EQ(cairn_gemm(handle, &p, 1, &a, &b, 0, &c), CAIRN_OK);
  EXPECT_EQ(c, 6);
  EXPECT_EQ(cairn_destroy(nullptr), CAIRN_OK);
  EXPECT_EQ(cairn_plan_destroy(nullptr), CAIRN_OK);
}

TEST_F(CApi, COverAOrBIsRefused) {
  float x[] = {1, 2}, y = 3;
  refused(cairn_gemm_f32(handle, CAIRN_ROW, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 1, 1, x, 1, &y, 1, 0, x, 1),
          "C overlaps A");
  refused(cairn_gemm_f32(handle, CAIRN_COLUMN, CAIRN_OP_N, CAIRN_OP_N, 1, 1, 2, 1, &y, 1, x, 2, 0, x + 1, 1),
          "C overlaps B");
  EXPECT_EQ(x[0], 1);
}

TEST_F(CApi, FastIsTakenForE4m3AndForNothingElse) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  ASSERT_EQ(cairn_problem_parse(&p, "e4m3fast:f32 nn 1x1x2"), CAIRN_OK);
  EXPECT_EQ(p.compute, CAIRN_FAST);
  const cairn_e4m3 A[] = {0x38, 0x40}, B[] = {0x40, 0x38};  // 1 and 2, 2 and 1
  float C = 7;
  ASSERT_EQ(cairn_gemm(handle, &p, 1, A, B, 0, &C), CAIRN_OK) << cairn_last_error();
  EXPECT_EQ(C, 4);
  p.in = CAIRN_F16;
  refused(cairn_gemm(handle, &p, 1, A, B, 0, &C), "compute is fast");
  p.in = CAIRN_E4M3, p.compute = CAIRN_FAST + 1;
  refused(cairn_gemm(handle, &p, 1, A, B, 0, &C), "compute is 4");
  EXPECT_EQ(C, 4);
}

TEST_F(CApi, AGoodCallClearsTheLastError) {
  int device = 0;
  refused(cairn_get_device(handle, nullptr), "device is null");
  ASSERT_EQ(cairn_get_device(handle, &device), CAIRN_OK);
  EXPECT_EQ(device, CAIRN_CPU);
  EXPECT_STREQ(cairn_last_error(), "");
}

}  // namespace
