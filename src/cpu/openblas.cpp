// OpenBLAS: f32 and f64 as they are, narrower types through f32 panels. No other file includes its header.
#ifdef CAIRN_HAVE_OPENBLAS

#include <algorithm>
#include <limits>
#include <utility>

#include <cblas.h>

#include "src/cpu/backend.hpp"
#include "src/cpu/panels.hpp"
#include "src/cpu/scale.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::cpu {
namespace {

// OpenBLAS multiplies on the calling thread alone up to this many multiply-adds (its GEMM_MULTITHREAD_THRESHOLD
// as built by default), so that batches of such products may run on our threads without nesting two thread pools.
constexpr double kOneThread = 64.0 * 64 * 64;

// The least work that pays for starting a thread: multiply-adds, elements converted.
constexpr double kWorkPerThread = 1 << 20;
constexpr double kElementsPerThread = 1 << 18;

bool is_packed(Type in) { return in != Type::f64 && in != Type::f32; }

int threads_for(double amount, double per_thread) {
  // Uses as many threads as the caller or OPENBLAS_NUM_THREADS allows OpenBLAS. The number is global
  // and other threads of the program may rely on it, so it is never set here.
  return static_cast<int>(std::clamp(amount / per_thread, 1.0, static_cast<double>(openblas_get_num_threads())));
}

// How many products of a batch run at once.
int workers_for(const Problem& p) {
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  if (work > kOneThread) return 1;
  const auto batch = static_cast<double>(p.batch);
  return threads_for(std::min(batch, work * batch / kWorkPerThread), 1);
}

CBLAS_TRANSPOSE cblas(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }

void cblas_gemm(Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* A,
                std::int64_t lda, const double* B, std::int64_t ldb, double beta, double* C, std::int64_t ldc) {
  cblas_dgemm(CblasRowMajor, cblas(op_a), cblas(op_b), static_cast<blasint>(m), static_cast<blasint>(n),
              static_cast<blasint>(k), alpha, A, static_cast<blasint>(lda), B, static_cast<blasint>(ldb), beta, C,
              static_cast<blasint>(ldc));
}

void cblas_gemm(Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* A,
                std::int64_t lda, const float* B, std::int64_t ldb, float beta, float* C, std::int64_t ldc) {
  cblas_sgemm(CblasRowMajor, cblas(op_a), cblas(op_b), static_cast<blasint>(m), static_cast<blasint>(n),
              static_cast<blasint>(k), alpha, A, static_cast<blasint>(lda), B, static_cast<blasint>(ldb), beta, C,
              static_cast<blasint>(ldc));
}

// The data of one product of the batch.
struct Operands {
  const std::byte* A;
  const std::byte* B;
  std::byte* C;

  Operands(const Call& call, std::int64_t batch)
      : A(static_cast<const std::byte*>(call.A) + batch * call.problem.stride_a * size_of(call.problem.in)),
        B(static_cast<const std::byte*>(call.B) + batch * call.problem.stride_b * size_of(call.problem.in)),
        C(static_cast<std::byte*>(call.C) + batch * call.problem.stride_c * size_of(call.problem.out)) {}
};

template <class T> void multiply_direct(const Call& call, const Operands& data) {
  const Problem& p = call.problem;
  cblas_gemm(p.op_a, p.op_b, p.m, p.n, p.k, static_cast<T>(call.alpha), reinterpret_cast<const T*>(data.A), p.lda,
             reinterpret_cast<const T*>(data.B), p.ldb, static_cast<T>(call.beta), reinterpret_cast<T*>(data.C),
             p.ldc);
}

// Widens op(X)[i0 …, j0 …], rows x cols, in the layout it has: OpenBLAS transposes while it packs.
void widen_panel(const Problem& p, const std::byte* X, Op op, std::int64_t ld, std::int64_t i0, std::int64_t j0,
                 std::int64_t rows, std::int64_t cols, float* panel, bool threaded) {
  if (op != Op::none) {
    std::swap(i0, j0);
    std::swap(rows, cols);
  }
  const double elements = static_cast<double>(rows) * static_cast<double>(cols);
  spread(threaded ? threads_for(elements, kElementsPerThread) : 1, rows,
         [&](int, std::int64_t from, std::int64_t to) {
           widen(p.in, X + ((i0 + from) * ld + j0) * size_of(p.in), ld, to - from, cols, panel + from * cols);
         });
}

void multiply_panels(const Call& call, const Operands& data, const Panels& panels, bool threaded) {
  const Problem& p = call.problem;
  for (std::int64_t i0 = 0; i0 < p.m; i0 += panels.m) {
    for (std::int64_t j0 = 0; j0 < p.n; j0 += panels.n) {
      const std::int64_t rows = std::min(panels.m, p.m - i0);
      const std::int64_t cols = std::min(panels.n, p.n - j0);

      for (std::int64_t k0 = 0; k0 < p.k; k0 += panels.k) {
        const std::int64_t depth = std::min(panels.k, p.k - k0);
        widen_panel(p, data.A, p.op_a, p.lda, i0, k0, rows, depth, panels.a, threaded);
        widen_panel(p, data.B, p.op_b, p.ldb, k0, j0, depth, cols, panels.b, threaded);
        cblas_gemm(p.op_a, p.op_b, rows, cols, depth, 1.0f, panels.a, p.op_a == Op::none ? depth : rows, panels.b,
                   p.op_b == Op::none ? cols : depth, k0 == 0 ? 0.0f : 1.0f, panels.c, cols);
      }

      const double elements = static_cast<double>(rows) * static_cast<double>(cols);
      spread(threaded ? threads_for(elements, kElementsPerThread) : 1, rows,
             [&](int, std::int64_t from, std::int64_t to) {
               narrow(static_cast<float>(call.alpha), panels.c + from * cols, static_cast<float>(call.beta), p.out,
                      data.C + ((i0 + from) * p.ldc + j0) * size_of(p.out), p.ldc, to - from, cols);
             });
    }
  }
}

std::string refuses(const Problem& p) {
  if (is_packed(p.in)) {
    return p.out == Type::f64 ? "C is f64; products of narrow types are accumulated in f32" : "";
  }
  if (p.out != p.in) return "C has another type than A and B; for f32 and f64 it must be the same";
  constexpr std::int64_t most = std::numeric_limits<blasint>::max();
  if (std::max({p.m, p.n, p.k}) > most) return "m, n or k does not fit OpenBLAS's integers";
  if (std::max({p.lda, p.ldb, p.ldc}) > most) return "a leading dimension does not fit OpenBLAS's integers";
  return {};  // tf32 and split allow less accuracy than sgemm has, so sgemm serves them too
}

std::size_t workspace_bytes(const Problem& p) {
  return is_packed(p.in) ? Panels(p).bytes() * static_cast<std::size_t>(workers_for(p)) : 0;
}

Status run(const Call& call, std::span<std::byte> workspace) {
  const Problem& p = call.problem;
  if (!reads_inputs(call)) {
    scale_c(call);
    return {};
  }
  const bool packed = is_packed(p.in);
  const auto multiply = [&](const Operands& data) {
    p.in == Type::f64 ? multiply_direct<double>(call, data) : multiply_direct<float>(call, data);
  };
  if (!packed && p.batch == 1) {  // the shortest way to cblas: small products take less time than the rest of this
    multiply(Operands(call, 0));
    return {};
  }
  const std::size_t panel_bytes = packed ? Panels(p).bytes() : 0;
  auto workers = static_cast<std::size_t>(workers_for(p));
  // OpenBLAS's thread count may have grown since the size of the workspace was computed.
  if (packed) workers = std::min(workers, workspace.size() / panel_bytes);

  spread(static_cast<int>(workers), p.batch, [&](int worker, std::int64_t begin, std::int64_t end) {
    Panels panels(p);
    if (packed) panels.place(workspace.data() + panel_bytes * static_cast<std::size_t>(worker));
    for (std::int64_t batch = begin; batch < end; ++batch) {
      const Operands data(call, batch);
      if (packed) {
        multiply_panels(call, data, panels, workers == 1);
      } else {
        multiply(data);
      }
    }
  });
  return {};
}

}  // namespace

const Backend openblas = {"cpu/openblas", "OpenBLAS; types narrower than f32 through f32 panels", refuses,
                          workspace_bytes, run};

}  // namespace cairn::cpu

#endif  // CAIRN_HAVE_OPENBLAS
