// Any arguments to the C API: what breaks a rule is refused with a message and nothing written; what is legal and
// small is run in memory of exactly its size, where AddressSanitizer sees the first byte too far.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "cairn/cairn.h"

namespace {

// Takes the input apart; zeros once it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::int64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<std::int64_t>(value);
  }
  // Mostly small, so that legal problems happen; now and then anything at all.
  std::int64_t size() {
    const std::uint8_t kind = byte();
    return kind == 255 ? word() : kind == 254 ? -1 : kind % 24;
  }
  std::int64_t stride() {
    const std::uint8_t kind = byte();
    return kind > 250 ? word() : kind * std::int64_t{4};
  }
  std::int32_t choice() {
    const std::uint8_t kind = byte();
    return kind == 255 ? static_cast<std::int32_t>(word()) : kind % 6;
  }
  double scalar() {
    constexpr double kScalars[] = {0, 1, -1, 0.5};
    const std::uint8_t kind = byte();
    if (kind < 200) return kScalars[kind % 4];
    double any = 0;
    const std::int64_t bits = word();
    std::memcpy(&any, &bits, sizeof any);
    return any;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s; last error: %s\n", what, cairn_last_error());
  std::abort();
}

std::size_t element(std::int32_t type) {
  constexpr std::size_t kSizes[] = {8, 4, 2, 2, 1};
  return kSizes[type];
}

// Bytes that `batch` matrices of rows x cols span, or -1 if they are too many to be worth trying.
std::int64_t bytes_of(const cairn_problem& p, bool transposed, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                      std::int64_t stride, std::int32_t type) {
  const bool lines_are_rows = (p.order == CAIRN_ROW) != transposed;
  const std::int64_t lines = lines_are_rows ? rows : cols, length = lines_are_rows ? cols : rows;
  if (lines == 0 || length == 0 || p.batch == 0) return 0;
  constexpr std::int64_t kMost = 1 << 16;
  if (lines > 64 || length > 64 || ld > kMost || stride > kMost || p.batch > 64) return -1;
  const std::int64_t elements = (p.batch - 1) * stride + (lines - 1) * ld + length;
  return elements > kMost ? -1 : elements * static_cast<std::int64_t>(element(type));
}

std::vector<std::uint8_t> memory(std::int64_t bytes) {
  std::vector<std::uint8_t> v(static_cast<std::size_t>(bytes), 0x3c);
  v.shrink_to_fit();
  return v;
}

void run_legal(cairn_handle handle, const cairn_problem& p, double alpha, double beta) {
  const std::int64_t a = bytes_of(p, p.op_a != CAIRN_OP_N, p.m, p.k, p.lda, p.stride_a, p.in);
  const std::int64_t b = bytes_of(p, p.op_b != CAIRN_OP_N, p.k, p.n, p.ldb, p.stride_b, p.in);
  const std::int64_t c = bytes_of(p, false, p.m, p.n, p.ldc, p.stride_c, p.out);
  cairn_plan plan = nullptr;
  require(cairn_plan_create(&plan, handle, &p) == CAIRN_OK, "a legal problem has no plan");
  if (a >= 0 && b >= 0 && c >= 0) {
    const auto A = memory(a), B = memory(b);
    auto C = memory(c);
    require(
        cairn_run(handle, plan, alpha, A.data(), B.data(), beta, C.data()) == CAIRN_OK || a == 0 || b == 0 || c == 0,
        "a legal call was refused");
  }
  cairn_plan_destroy(plan);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  cairn_handle handle = nullptr;
  const int device = in.byte() < 250 ? CAIRN_CPU : static_cast<int>(in.word());
  if (cairn_create(&handle, device) != CAIRN_OK) {
    require(handle == nullptr && *cairn_last_error() != 0, "a failed create left something behind");
    return 0;
  }
  cairn_problem p;
  p.in = in.choice(), p.out = in.byte() < 180 ? p.in : in.choice();
  p.compute = in.byte() < 200 ? 0 : in.choice();
  p.order = in.choice(), p.op_a = in.choice(), p.op_b = in.choice();
  p.m = in.size(), p.n = in.size(), p.k = in.size();
  p.lda = in.size(), p.ldb = in.size(), p.ldc = in.size();
  p.batch = in.size();
  p.stride_a = in.stride(), p.stride_b = in.stride(), p.stride_c = in.stride();
  const double alpha = in.scalar(), beta = in.scalar();

  std::size_t workspace = 0;
  if (cairn_workspace_size(handle, &p, &workspace) == CAIRN_OK) {
    run_legal(handle, p, alpha, beta);
  } else {
    require(*cairn_last_error() != 0, "a refusal without a message");
    // No memory stands behind these addresses: a refused call must not touch them.
    void* const nowhere = reinterpret_cast<void*>(std::uintptr_t{64});
    require(cairn_gemm(handle, &p, alpha, nowhere, nowhere, beta, nowhere) != CAIRN_OK, "refused, then run");
  }
  char text[64];
  std::size_t needed = 0;
  if (cairn_problem_print(&p, 0, text, in.byte() % sizeof text, &needed) == CAIRN_OK) {
    cairn_problem back;
    require(std::strlen(text) + 1 == needed, "the printed text has another length than it says");
    require(cairn_problem_parse(&back, text) == CAIRN_OK, "a printed problem does not parse");
  }
  cairn_destroy(handle);
  return 0;
}
