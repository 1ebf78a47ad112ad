// Calls cuBLAS; no other file does.
//
// How a row-major product becomes cuBLAS's arguments. cuBLAS is column-major, as BLAS always was. The memory of a
// row-major matrix, read as column-major with the same ld, is its transpose (src/dispatch/normalize.hpp says why), so
// dispatch::to_column() turns row-major C = op(A) op(B) into column-major C' = op(B') op(A'): cuBLAS gets our B as
// its A and our A as its B, n as its m and m as its n, and each matrix keeps its pointer, op, ld and stride.
// Row-major nt thus becomes column-major TN, the only layout that Hopper's tensor cores have for 8-bit floats. A
// column-major product is passed unchanged. In cuBLASLt's terms a stored matrix has `minor` rows and `major` columns,
// since the lines of a column-major matrix are its columns.
#include "lab/baseline_cublas.hpp"

#include <algorithm>

#ifdef CAIRN_HAVE_CUBLAS
#include <utility>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <fmt/format.h>

#include "lab/cublas_words.hpp"
#include "lab/load.hpp"
#include "src/dispatch/normalize.hpp"
#endif

namespace cairn::lab {

#ifdef CAIRN_HAVE_CUBLAS
namespace {

// Loaded with dlopen: a linked library would be loaded at the start of every command, `cairn --version` included.
const Loaded& library() {
  static const std::string version = std::to_string(CUBLAS_VER_MAJOR);
  static const Loaded loaded({"libcublasLt.so." + version, "libcublas.so." + version}, CAIRN_CUBLAS_DIR);
  return loaded;
}

Status failed(const char* call, cublasStatus_t status) {
  const Code code = status == CUBLAS_STATUS_NOT_SUPPORTED  ? Code::unsupported
                    : status == CUBLAS_STATUS_ALLOC_FAILED ? Code::out_of_memory
                                                           : Code::device_error;
  // Found whenever anything was called; what they say of an unknown status is never null.
  static const auto name =
      reinterpret_cast<decltype(&::cublasLtGetStatusName)>(library().find("cublasLtGetStatusName"));
  static const auto text =
      reinterpret_cast<decltype(&::cublasLtGetStatusString)>(library().find("cublasLtGetStatusString"));
  return {code, fmt::format("{}: {}, {}", call, name(status), text(status))};
}

// CAIRN_CUBLAS(function, arguments...): finds the function, calls it, and returns a Status that names it if it fails.
#define CAIRN_CUBLAS(function, ...)                                                                             \
  do {                                                                                                          \
    static const auto cublas_function = reinterpret_cast<decltype(&::function)>(library().find(#function));     \
    if (cublas_function == nullptr) return {Code::unsupported, "the cuBLAS that was loaded has no " #function}; \
    const cublasStatus_t cublas_status = cublas_function(__VA_ARGS__);                                          \
    if (cublas_status != CUBLAS_STATUS_SUCCESS) return failed(#function, cublas_status);                        \
  } while (false)

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;  // twice what cuBLAS takes by itself on Hopper

struct Described final : LtDescription {
  using LtDescription::LtDescription;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t A = nullptr, B = nullptr, C = nullptr, D = nullptr;

  ~Described() override {
    (void)destroy_operation();
    for (cublasLtMatrixLayout_t layout : {A, B, C, D}) (void)destroy(layout);
  }

 private:
  Status destroy_operation() const {
    if (operation != nullptr) CAIRN_CUBLAS(cublasLtMatmulDescDestroy, operation);
    return {};
  }
  static Status destroy(cublasLtMatrixLayout_t layout) {
    if (layout != nullptr) CAIRN_CUBLAS(cublasLtMatrixLayoutDestroy, layout);
    return {};
  }
};

const Described& seen(const LtDescription& description) { return static_cast<const Described&>(description); }

Status describe_matrix(const Stored& s, Type type, std::int64_t batch, std::int64_t stride,
                       cublasLtMatrixLayout_t& out) {
  CAIRN_CUBLAS(cublasLtMatrixLayoutCreate, &out, cuda(type), static_cast<std::uint64_t>(s.minor),
               static_cast<std::uint64_t>(s.major), s.ld);
  if (batch == 1) return {};
  const auto count = static_cast<std::int32_t>(batch);
  CAIRN_CUBLAS(cublasLtMatrixLayoutSetAttribute, out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  CAIRN_CUBLAS(cublasLtMatrixLayoutSetAttribute, out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
               sizeof stride);
  return {};
}

Status set_attribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t what, const auto& value) {
  CAIRN_CUBLAS(cublasLtMatmulDescSetAttribute, operation, what, &value, sizeof value);
  return {};
}

Status describe_product(const Problem& column, const void* workspace, Described& d) {
  const Problem& p = column;
  CAIRN_CUBLAS(cublasLtMatmulDescCreate, &d.operation, compute_type(p), cuda(accumulator(p.in)));
  Status failure;
  const auto set = [&](cublasLtMatmulDescAttributes_t what, const auto& value) {
    if (failure.ok()) failure = set_attribute(d.operation, what, value);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, cublas(p.op_a)), set(CUBLASLT_MATMUL_DESC_TRANSB, cublas(p.op_b));
  // Compute::fast: all of k is accumulated at the tensor core's own precision.
  if (p.in == Type::e4m3) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{p.compute == Compute::fast});
  if (p.has_epilogue()) set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(p));
  if (p.bias != Bias::none) set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, cuda(p.bias_type));
  if (p.bias != Bias::none) set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, p.stride_bias);
  if (p.before == Before::stored) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.ldc);
  if (p.before == Before::stored) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, p.stride_c);
  if (p.scale_a > Scale::tensor) set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, std::int32_t{scale_mode(p.scale_a)});
  if (p.scale_b > Scale::tensor) set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, std::int32_t{scale_mode(p.scale_b)});
  // Any address: algorithms are offered according to what is there. A call has its own.
  if (p.scale_a != Scale::none) set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, workspace);
  if (p.scale_b != Scale::none) set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, workspace);
  if (!failure.ok()) return failure;
  // A D of e4m3 has no C of its type to add: cuBLASLt wants to hear of one in bf16, which it leaves alone.
  const Type added = p.out == Type::e4m3 ? Type::bf16 : p.out;
  if (auto s = describe_matrix(p.a(), p.in, p.batch, p.stride_a, d.A); !s.ok()) return s;
  if (auto s = describe_matrix(p.b(), p.in, p.batch, p.stride_b, d.B); !s.ok()) return s;
  if (auto s = describe_matrix(p.c(), added, p.batch, p.stride_c, d.C); !s.ok()) return s;
  return describe_matrix(p.c(), p.out, p.batch, p.stride_c, d.D);
}

Status set_preference(cublasLtMatmulPreference_t preference, const Problem& p, Alignment column, Pipes pipes) {
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) -> Status {
    CAIRN_CUBLAS(cublasLtMatmulPreferenceSetAttribute, preference, what, &value, sizeof value);
    return {};
  };
  if (auto s = set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes}); !s.ok()) return s;
  if (size_of(p.out) < size_of(accumulator(p.in))) {
    // Partial sums in the output's type would be less accurate than the f32 sums that our kernels keep.
    const std::uint32_t exact_sums = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    if (auto s = set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, exact_sums); !s.ok()) return s;
  }
  if (pipes == Pipes::fma) {
    // The mask has bits for the pipe, the accumulator's type and the inputs' type; only the pipe is restricted.
    const std::uint64_t no_tensor_cores = CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA |
                                          CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK |
                                          CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK;
    if (auto s = set(CUBLASLT_MATMUL_PREF_IMPL_MASK, no_tensor_cores); !s.ok()) return s;
  }
  if (auto s = set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, column.A); !s.ok()) return s;
  if (auto s = set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, column.B); !s.ok()) return s;
  if (auto s = set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, column.C); !s.ok()) return s;
  return set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, column.C);
}

cublasLtMatmulAlgo_t to_lt(const LtAlgorithm& algorithm) {
  cublasLtMatmulAlgo_t algo{};
  static_assert(sizeof algo.data == sizeof algorithm.opaque);
  std::copy(algorithm.opaque.begin(), algorithm.opaque.end(), std::begin(algo.data));
  return algo;
}

Status read_attribute(const cublasLtMatmulAlgo_t& algo, cublasLtMatmulAlgoConfigAttributes_t what, void* value,
                      std::size_t bytes) {
  std::size_t written = 0;
  CAIRN_CUBLAS(cublasLtMatmulAlgoConfigGetAttribute, &algo, what, value, bytes, &written);
  return {};
}

class OpenCublas final : public Cublas {
 public:
  explicit OpenCublas(std::shared_ptr<runtime::Machine> machine) : machine_(std::move(machine)) {}
  ~OpenCublas() override {
    (void)machine_->run_here([&]() -> Status {
      if (lt_ != nullptr) CAIRN_CUBLAS(cublasLtDestroy, lt_);
      if (handle_ != nullptr) CAIRN_CUBLAS(cublasDestroy_v2, handle_);
      return {};
    });
  }

  Status open() {
    if (auto s = runtime::Buffer::make(machine_, kWorkspaceBytes, workspace_); !s.ok()) return s;
    return machine_->run_here([&]() -> Status {
      CAIRN_CUBLAS(cublasCreate_v2, &handle_);
      CAIRN_CUBLAS(cublasLtCreate, &lt_);
      // As with cuBLASLt's reduction schemes: sums are kept in f32 to the end.
      const auto mode =
          static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
      CAIRN_CUBLAS(cublasSetMathMode, handle_, mode);
      return {};
    });
  }

  std::string version() const override { return cublas_version(); }

  Status gemm_ex(const Call& call, runtime::Stream stream) override {
    const Call c = dispatch::to_column(call);
    const Problem& p = c.problem;
    const Scalars scalars(c);
    const cudaDataType_t in = cuda(p.in), out = cuda(p.out);
    return machine_->run_here([&]() -> Status {
      // cublasSetStream resets the workspace, and without one cuBLAS would allocate during stream capture.
      CAIRN_CUBLAS(cublasSetStream_v2, handle_, static_cast<cudaStream_t>(stream));
      CAIRN_CUBLAS(cublasSetWorkspace_v2, handle_, workspace_.data(), kWorkspaceBytes);
      if (p.batch == 1) {
        CAIRN_CUBLAS(cublasGemmEx_64, handle_, cublas(p.op_a), cublas(p.op_b), p.m, p.n, p.k, scalars.alpha(), c.A,
                     in, p.lda, c.B, in, p.ldb, scalars.beta(), c.C, out, p.ldc, compute_type(p),
                     CUBLAS_GEMM_DEFAULT);
      } else {
        CAIRN_CUBLAS(cublasGemmStridedBatchedEx_64, handle_, cublas(p.op_a), cublas(p.op_b), p.m, p.n, p.k,
                     scalars.alpha(), c.A, in, p.lda, p.stride_a, c.B, in, p.ldb, p.stride_b, scalars.beta(), c.C,
                     out, p.ldc, p.stride_c, p.batch, compute_type(p), CUBLAS_GEMM_DEFAULT);
      }
      return {};
    });
  }

  Status matmul(const LtDescription& description, const LtAlgorithm& algorithm, const Call& call,
                runtime::Stream stream) override {
    const Described& d = seen(description);
    const Call c = dispatch::to_column(call);
    const Scalars scalars(c);
    const cublasLtMatmulAlgo_t algo = to_lt(algorithm);
    const void* added = c.problem.out == Type::e4m3 ? nullptr : c.C;
    return machine_->run_here([&]() -> Status {
      const auto point = [&](cublasLtMatmulDescAttributes_t what, const void* at) -> Status {
        return at == nullptr ? Status{} : set_attribute(d.operation, what, at);
      };
      if (auto s = point(CUBLASLT_MATMUL_DESC_BIAS_POINTER, c.bias); !s.ok()) return s;
      if (auto s = point(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, c.before); !s.ok()) return s;
      if (auto s = point(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, c.scale_a); !s.ok()) return s;
      if (auto s = point(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, c.scale_b); !s.ok()) return s;
      CAIRN_CUBLAS(cublasLtMatmul, lt_, d.operation, scalars.alpha(), c.A, d.A, c.B, d.B, scalars.beta(), added, d.C,
                   c.C, d.D, &algo, workspace_.data(), kWorkspaceBytes, static_cast<cudaStream_t>(stream));
      return {};
    });
  }

  Status describe(const Problem& problem, std::shared_ptr<const LtDescription>& out) override {
    auto description = std::make_shared<Described>(problem);
    Call call;
    call.problem = problem;
    if (auto s = describe_product(dispatch::to_column(call).problem, workspace_.data(), *description); !s.ok())
      return s;
    out = std::move(description);
    return {};
  }

  Status heuristics(const LtDescription& description, Alignment alignment, Pipes pipes, int most,
                    std::vector<LtAlgorithm>& out) override {
    const Described& d = seen(description);
    const bool exchanged = d.problem.order == Order::row;  // A and B, as to_column() does it
    const Alignment column = exchanged ? Alignment{alignment.B, alignment.A, alignment.C} : alignment;
    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
    int found = 0;
    Status asked = machine_->run_here([&]() -> Status {
      cublasLtMatmulPreference_t preference = nullptr;
      CAIRN_CUBLAS(cublasLtMatmulPreferenceCreate, &preference);
      const auto ask = [&]() -> Status {
        if (auto s = set_preference(preference, d.problem, column, pipes); !s.ok()) return s;
        CAIRN_CUBLAS(cublasLtMatmulAlgoGetHeuristic, lt_, d.operation, d.A, d.B, d.C, d.D, preference, most,
                     results.data(), &found);
        return {};
      };
      Status s = ask();
      CAIRN_CUBLAS(cublasLtMatmulPreferenceDestroy, preference);
      return s;
    });
    out.clear();
    for (const auto& result : results) {
      if (found-- <= 0) break;
      if (result.state != CUBLAS_STATUS_SUCCESS) continue;
      LtAlgorithm& algorithm = out.emplace_back();
      std::copy(std::begin(result.algo.data), std::end(result.algo.data), algorithm.opaque.begin());
      algorithm.workspace_bytes = result.workspaceSize;
    }
    if (!out.empty()) return {};
    if (!asked.ok() && asked.code() != Code::unsupported) return asked;
    return {Code::unsupported,
            fmt::format("cuBLAS has no algorithm for {} with A, B and C aligned to {}, {} and {} bytes",
                        d.problem.brief(), alignment.A, alignment.B, alignment.C)};
  }

  Status check(const LtDescription& description, LtAlgorithm& algorithm) override {
    const Described& d = seen(description);
    const cublasLtMatmulAlgo_t algo = to_lt(algorithm);
    cublasLtMatmulHeuristicResult_t result{};
    if (auto s = machine_->run_here([&]() -> Status {
          CAIRN_CUBLAS(cublasLtMatmulAlgoCheck, lt_, d.operation, d.A, d.B, d.C, d.D, &algo, &result);
          return {};
        });
        !s.ok()) {
      return s;
    }
    if (result.state != CUBLAS_STATUS_SUCCESS) return failed("cublasLtMatmulAlgoCheck", result.state);
    algorithm.workspace_bytes = result.workspaceSize;
    if (result.workspaceSize <= kWorkspaceBytes) return {};
    return {Code::unsupported,
            fmt::format("the algorithm needs more than the {} bytes of workspace", kWorkspaceBytes)};
  }

  LtAttributes attributes(const LtAlgorithm& algorithm) const override {
    const cublasLtMatmulAlgo_t algo = to_lt(algorithm);
    // Each is as wide as its description says, 16 or 32 bits, and none is negative.
    const auto get = [&](cublasLtMatmulAlgoConfigAttributes_t what, std::size_t bytes) -> std::int64_t {
      std::uint32_t value = 0;
      (void)read_attribute(algo, what, &value, bytes);
      return value;
    };
    return {get(CUBLASLT_ALGO_CONFIG_ID, 4),
            get(CUBLASLT_ALGO_CONFIG_TILE_ID, 4),
            get(CUBLASLT_ALGO_CONFIG_STAGES_ID, 4),
            get(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4),
            get(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 4),
            get(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, 4),
            get(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4),
            get(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2),
            get(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2)};
  }

 private:
  std::shared_ptr<runtime::Machine> machine_;
  runtime::Buffer workspace_;
  cublasHandle_t handle_ = nullptr;
  cublasLtHandle_t lt_ = nullptr;
};

}  // namespace

bool built_with_cublas() { return true; }

std::string no_cublas() { return library().missing(); }

std::string cublas_version() {
  const auto get = reinterpret_cast<decltype(&::cublasLtGetVersion)>(library().find("cublasLtGetVersion"));
  if (get == nullptr) return "";
  const std::size_t version = get();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Status open_cublas(const std::shared_ptr<runtime::Machine>& machine, std::unique_ptr<Cublas>& out) {
  if (!library().missing().empty()) return {Code::unsupported, library().missing()};
  auto opened = std::make_unique<OpenCublas>(machine);
  if (auto s = opened->open(); !s.ok()) return s;
  out = std::move(opened);
  return {};
}
#else
bool built_with_cublas() { return false; }
std::string no_cublas() { return "this build has no cuBLAS"; }
std::string cublas_version() { return ""; }
Status open_cublas(const std::shared_ptr<runtime::Machine>&, std::unique_ptr<Cublas>&) {
  return {Code::unsupported, no_cublas()};
}
#endif

}  // namespace cairn::lab
