// Any arguments to the C API: what breaks a rule is refused with a message and nothing written; what is legal and
// small is run in memory of exactly its size, where AddressSanitizer sees the first byte too far.
#include <algorithm>
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
  // A problem's size, mostly the right one; else one that a later header may have; now and then anything at all.
  std::size_t problem_size() {
    const std::uint8_t kind = byte();
    if (kind < 128) return sizeof(cairn_problem);
    if (kind < 224) return sizeof(cairn_problem) + kind % 8 * std::size_t{8};
    return kind < 250 ? byte() : static_cast<std::size_t>(word());
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

// The same for one row for each product.
std::int64_t vector_bytes(cairn_problem p, std::int64_t elements, std::int64_t stride, std::int32_t type) {
  p.order = CAIRN_ROW;
  return bytes_of(p, false, 1, elements, 0, stride, type);
}
std::int64_t bias_bytes(const cairn_problem& p) {
  if (p.bias == CAIRN_BIAS_NONE) return 0;
  return vector_bytes(p, p.bias == CAIRN_BIAS_ROWS ? p.m : p.n, p.stride_bias, p.bias_type);
}
std::int64_t scale_bytes(const cairn_problem& p, std::int32_t scale, std::int64_t lines, std::int64_t stride) {
  if (scale == CAIRN_SCALE_NONE) return 0;
  if (lines > 64 || p.k > 64) return -1;
  const std::int64_t blocks = p.k > 0 ? 1 : 0;
  const std::int64_t elements = scale == CAIRN_SCALE_TENSOR          ? 1
                                : scale == CAIRN_SCALE_VECTOR        ? lines
                                : scale == CAIRN_SCALE_VECTOR_BLOCKS ? lines * blocks
                                                                     : blocks;
  return vector_bytes(p, elements, stride, p.in == CAIRN_F64 ? CAIRN_F64 : CAIRN_F32);
}

std::vector<std::uint8_t> memory(std::int64_t bytes) {
  std::vector<std::uint8_t> v(static_cast<std::size_t>(bytes), 0x3c);
  v.shrink_to_fit();
  return v;
}

// A problem with as many products as there are B.
cairn_problem of_columns(cairn_problem p) {
  if (p.groups > 0) p.batch = p.groups;
  return p;
}

void run_legal(cairn_handle handle, const cairn_problem& p, double alpha, double beta, Input& in) {
  const std::int64_t a = bytes_of(p, p.op_a != CAIRN_OP_N, p.m, p.k, p.lda, p.stride_a, p.in);
  const std::int64_t b = bytes_of(of_columns(p), p.op_b != CAIRN_OP_N, p.k, p.n, p.ldb, p.stride_b, p.in);
  const std::int64_t c = bytes_of(p, false, p.m, p.n, p.ldc, p.stride_c, p.out);
  const std::int64_t bias = bias_bytes(p.bias == CAIRN_BIAS_COLUMNS ? of_columns(p) : p),
                     before = p.before != CAIRN_BEFORE_NONE ? c : 0;
  const std::int64_t scale_a = scale_bytes(p, p.scale_a, p.m, p.stride_scale_a);
  const std::int64_t scale_b = scale_bytes(of_columns(p), p.scale_b, p.n, p.stride_scale_b);
  cairn_plan plan = nullptr;
  require(cairn_plan_create(&plan, handle, &p) == CAIRN_OK, "a legal problem has no plan");
  if (a >= 0 && b >= 0 && c >= 0 && bias >= 0 && scale_a >= 0 && scale_b >= 0) {
    const auto A = memory(a), B = memory(b), Bias = memory(bias), ScaleA = memory(scale_a), ScaleB = memory(scale_b);
    auto C = memory(c), Before = memory(before);
    cairn_operands data = CAIRN_OPERANDS_INIT;
    data.A = A.data(), data.B = B.data(), data.C = C.data(), data.bias = Bias.data(), data.before = Before.data();
    data.scale_a = ScaleA.data(), data.scale_b = ScaleB.data();
    std::vector<std::int32_t> ends;  // any at all
    for (std::int64_t i = 0; i < p.groups; ++i) ends.push_back(static_cast<std::int32_t>(in.size()));
    ends.shrink_to_fit();
    data.ends = ends.data();
    require(cairn_run_operands(handle, plan, alpha, beta, &data) == CAIRN_OK || a == 0 || b == 0 || c == 0,
            "a legal call was refused");
  }
  cairn_plan_destroy(plan);
}

void draw_epilogue(Input& in, cairn_problem& p) {
  p.bias = in.choice(), p.bias_type = in.byte() < 200 ? p.out : in.choice();
  p.activation = in.choice(), p.before = in.choice();
  p.reserved = in.byte() < 250 ? 0 : in.choice();
  p.stride_bias = in.stride();
  p.scale_a = in.choice(), p.scale_b = in.choice();
  p.stride_scale_a = in.stride(), p.stride_scale_b = in.stride();
  if (in.byte() < 60) p.groups = in.size(), p.batch = in.byte() < 200 ? 1 : p.batch;
}

constexpr std::size_t kFirstSize = offsetof(cairn_problem, stride_c) + sizeof(std::int64_t);  // a problem's, in 0.2
bool legal_size(std::size_t size) { return size >= kFirstSize && size <= 4096 && size % 8 == 0; }

// The fields that a caller's header does not have.
void forget_beyond(std::size_t size, cairn_problem& p) {
  if (!legal_size(size) || size >= sizeof p) return;
  std::memset(reinterpret_cast<std::uint8_t*>(&p) + size, 0, sizeof p - size);
}

// The problem in memory of exactly its size, as a caller with another header has it. With a size that must be
// refused, the size itself is all that may be read, and all there is.
class Caller {
 public:
  Caller(const cairn_problem& p, std::size_t size, Input& in)
      : legal_(legal_size(size)), memory_(legal_ ? size : sizeof size) {
    memory_.shrink_to_fit();
    std::memcpy(memory_.data(), &p, std::min(sizeof p, memory_.size()));
    std::memcpy(memory_.data(), &size, sizeof size);
    for (std::size_t i = sizeof p; i < memory_.size(); ++i) uses_unknown_ |= (memory_[i] = in.byte()) != 0;
  }
  cairn_problem* problem() { return reinterpret_cast<cairn_problem*>(memory_.data()); }

  // `status` is what the problem's fields deserve; the size and what follows the known fields come first.
  void require_as(cairn_status status, cairn_status got) const {
    if (uses_unknown_) status = CAIRN_UNSUPPORTED;
    if (!legal_) status = CAIRN_INVALID_ARGUMENT;
    require(got == status, "a problem of another size is answered otherwise");
    require((got == CAIRN_OK) == (*cairn_last_error() == 0), "a refusal without a message, or the reverse");
  }
  // Writes the problem anew; AddressSanitizer sees what is written beyond it.
  void require_parses(const char* text) {
    const std::vector<std::uint8_t> before = memory_;
    const cairn_status got = cairn_problem_parse(problem(), text);
    require(got == (legal_ ? CAIRN_OK : CAIRN_INVALID_ARGUMENT), "parsing into a problem of another size");
    require(legal_ || before == memory_, "a refused parse wrote");
    require(std::memcmp(before.data(), memory_.data(), sizeof(std::size_t)) == 0, "parsing changed the size");
    for (std::size_t i = sizeof(cairn_problem); i < memory_.size(); ++i)
      require(memory_[i] == 0, "parsing left a field that the library does not know as it was");
  }

 private:
  bool legal_, uses_unknown_ = false;
  std::vector<std::uint8_t> memory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  cairn_handle handle = nullptr;
  const int device = in.byte() < 250 ? CAIRN_CPU : static_cast<int>(in.word());
  if (cairn_create(&handle, device) != CAIRN_OK) {
    require(handle == nullptr && *cairn_last_error() != 0, "a failed create left something behind");
    return 0;
  }
  cairn_problem p = CAIRN_PROBLEM_INIT;
  p.in = in.choice(), p.out = in.byte() < 180 ? p.in : in.choice();
  p.compute = in.byte() < 200 ? 0 : in.choice();
  p.order = in.choice(), p.op_a = in.choice(), p.op_b = in.choice();
  p.m = in.size(), p.n = in.size(), p.k = in.size();
  p.lda = in.size(), p.ldb = in.size(), p.ldc = in.size();
  p.batch = in.size();
  p.stride_a = in.stride(), p.stride_b = in.stride(), p.stride_c = in.stride();
  p.invariant = in.byte() < 200 ? 0 : in.choice();
  const double alpha = in.scalar(), beta = in.scalar();

  const std::size_t room = in.byte() % 64;
  const std::size_t problem_size = in.problem_size();
  if (in.byte() % 2 != 0) draw_epilogue(in, p);
  forget_beyond(problem_size, p);
  Caller caller(p, problem_size, in);

  std::size_t workspace = 0;
  const cairn_status status = cairn_workspace_size(handle, &p, &workspace);
  if (status == CAIRN_OK) {
    run_legal(handle, p, alpha, beta, in);
  } else {
    require(*cairn_last_error() != 0, "a refusal without a message");
    // No memory stands behind these addresses: a refused call must not touch them.
    void* const nowhere = reinterpret_cast<void*>(std::uintptr_t{64});
    require(cairn_gemm(handle, &p, alpha, nowhere, nowhere, beta, nowhere) != CAIRN_OK, "refused, then run");
  }
  caller.require_as(status, cairn_workspace_size(handle, caller.problem(), &workspace));
  caller.require_parses("f16 nt 4x5x6");
  char text[64];
  std::size_t needed = 0;
  if (cairn_problem_print(&p, 0, text, room, &needed) == CAIRN_OK) {
    cairn_problem back = CAIRN_PROBLEM_INIT;
    require(std::strlen(text) + 1 == needed, "the printed text has another length than it says");
    require(cairn_problem_parse(&back, text) == CAIRN_OK, "a printed problem does not parse");
  }
  cairn_destroy(handle);
  return 0;
}
