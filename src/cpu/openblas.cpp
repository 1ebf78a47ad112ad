// OpenBLAS: f32 and f64 as they are, narrower types through f32 panels. No other file includes its header.
#ifdef CAIRN_HAVE_OPENBLAS

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>

#include <cblas.h>

#include "src/cpu/backend.hpp"
#include "src/cpu/blocks.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/groups.hpp"
#include "src/cpu/panels.hpp"
#include "src/cpu/scale.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::cpu {
namespace {

// OpenBLAS multiplies on the calling thread alone up to this many multiply-adds (its GEMM_MULTITHREAD_THRESHOLD
// as built by default), so that batches of such products may run on our threads without nesting two thread pools.
constexpr double kOneThread = 64.0 * 64 * 64;

// What OpenBLAS's integers hold, 31 bits in most builds of it. It rounds sizes up to those of its tiles, and 0.3.21
// crashes where that overflows: a size has one bit less.
constexpr Limits kMost{std::numeric_limits<blasint>::max() / 2 + 1, std::numeric_limits<blasint>::max()};

// The least work that pays for waking a thread: nanoseconds of products, by product_time(), and elements converted. Where
// all cores are busy, waiting for a thread that was interrupted costs milliseconds, so shorter batches stay on one.
constexpr double kTimePerThread = 1e6;
constexpr double kElementsPerThread = 1 << 18;
constexpr double kTimePerChunk = 5e4;  // of products that a worker takes at once
// Products of a few hundred nanoseconds gain little from a second thread. Presumably it is the lock of the process that
// OpenBLAS takes for its buffers in every call; this is the time we allow for it, and nobody has profiled it.
constexpr double kLockTime = 150;

bool is_packed(Type in) { return in != Type::f64 && in != Type::f32; }

int threads_for(double amount, double per_thread) {
  // Uses as many threads as the caller or OPENBLAS_NUM_THREADS allows OpenBLAS. The number is global
  // and other threads of the program may rely on it, so it is never set here.
  return static_cast<int>(std::clamp(amount / per_thread, 1.0, static_cast<double>(openblas_get_num_threads())));
}

double multiply_adds(const Problem& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// About how many nanoseconds a small product takes on one core: a call of OpenBLAS, its multiply-adds at vectors of 128
// bits, and the conversions of narrow types. On a faster core threads begin later than they might.
double product_time(const Problem& p) {
  // In floating point: where the batch or a size is zero, legal sizes have products beyond 64 bits.
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  double time = 120 + m * n * k / (p.in == Type::f64 ? 8 : 16);
  if (is_packed(p.in)) time += 0.5 * (m * k + k * n + m * n);
  return time;
}

// How many products of a batch run at once.
int workers_for(const Problem& p) {
  if (multiply_adds(p) > kOneThread) return 1;
  const auto batch = static_cast<double>(p.batch);
  const double time = product_time(p);
  return threads_for(std::min({batch, time / kLockTime, time * batch / kTimePerThread}), 1);
}

CBLAS_TRANSPOSE cblas(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }

// alpha, beta and a shape as OpenBLAS takes them: the same for every product of a batch.
template <class T> struct Gemm {
  CBLAS_TRANSPOSE op_a, op_b;
  blasint m, n, k, lda, ldb, ldc;
  T alpha, beta;

  Gemm(Op opa, Op opb, std::int64_t rows, std::int64_t cols, std::int64_t depth, double a, std::int64_t lda_,
       std::int64_t ldb_, double b, std::int64_t ldc_)
      : op_a(cblas(opa)),
        op_b(cblas(opb)),
        m(static_cast<blasint>(rows)),
        n(static_cast<blasint>(cols)),
        k(static_cast<blasint>(depth)),
        lda(static_cast<blasint>(lda_)),
        ldb(static_cast<blasint>(ldb_)),
        ldc(static_cast<blasint>(ldc_)),
        alpha(static_cast<T>(a)),
        beta(static_cast<T>(b)) {}

  void operator()(const T* A, const T* B, T* C) const {
    if constexpr (std::same_as<T, double>) {
      cblas_dgemm(CblasRowMajor, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    } else {
      cblas_sgemm(CblasRowMajor, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    }
  }
};

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

// One product that is too large for OpenBLAS's integers.
template <class T> void multiply_blocks(const Call& call, const Operands& data) {
  const Problem& p = call.problem;
  const auto at = [](const std::byte* X, Op op, std::int64_t ld, std::int64_t i, std::int64_t j) {
    return reinterpret_cast<const T*>(X) + (op == Op::none ? i * ld + j : j * ld + i);
  };
  each_block(p, kMost, [&](const Block& b) {
    const Gemm<T> multiply(p.op_a, p.op_b, b.rows, b.cols, b.depth, call.alpha, std::min(p.lda, kMost.ld),
                           std::min(p.ldb, kMost.ld), b.k0 == 0 ? call.beta : 1, std::min(p.ldc, kMost.ld));
    multiply(at(data.A, p.op_a, p.lda, b.i0, b.k0), at(data.B, p.op_b, p.ldb, b.k0, b.j0),
             reinterpret_cast<T*>(data.C) + b.i0 * p.ldc + b.j0);
  });
}

// The epilogue of products begin … end-1 of the batch, whose C has alpha * op(A) * op(B) + beta * C.
template <class T> void finish_direct(const Call& call, std::int64_t begin, std::int64_t end, bool threaded) {
  const Problem& p = call.problem;
  if (!p.has_epilogue()) return;
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
  for (std::int64_t batch = begin; batch < end; ++batch) {
    spread(threaded ? threads_for(elements, kElementsPerThread) : 1, p.m,
           [&](int, std::int64_t from, std::int64_t to) {
             for (std::int64_t i = from; i < to; ++i) {
               const T* row = static_cast<const T*>(call.C) + batch * p.stride_c + i * p.ldc;
               for (std::int64_t j = 0; j < p.n; ++j) finish<T>(call, batch, i, j, static_cast<double>(row[j]));
             }
           });
  }
}

// Products begin … end-1 of the batch. For small ones this loop is what a call costs.
template <class T> void multiply_direct(const Call& call, std::int64_t begin, std::int64_t end) {
  const Problem& p = call.problem;
  if (!fits(p, kMost)) {
    for (std::int64_t batch = begin; batch < end; ++batch) multiply_blocks<T>(call, Operands(call, batch));
    return;
  }
  const Gemm<T> multiply(p.op_a, p.op_b, p.m, p.n, p.k, call.alpha, p.lda, p.ldb, call.beta, p.ldc);
  const std::int64_t stride_a = p.stride_a, stride_b = p.stride_b, stride_c = p.stride_c;
  const T* A = static_cast<const T*>(call.A) + begin * stride_a;
  const T* B = static_cast<const T*>(call.B) + begin * stride_b;
  T* C = static_cast<T*>(call.C) + begin * stride_c;
  for (std::int64_t batch = begin; batch < end; ++batch) {
    multiply(A, B, C);
    A += stride_a, B += stride_b, C += stride_c;
  }
}

// Rows of C whose products are kept before they are scaled: 4 MB of them, or a row.
std::int64_t scaled_rows(const Problem& p) {
  constexpr std::int64_t kElements = 1 << 20;
  return std::min(p.m, std::max<std::int64_t>(kElements / std::max<std::int64_t>(p.n, 1), 1));
}

// A product with scales: alpha * op(A) * op(B) of some rows at a time, then the rest element by element.
template <class T> void multiply_scaled(const Call& call, std::int64_t batch, T* products, bool threaded) {
  const Problem& p = call.problem;
  const Operands data(call, batch);
  const T* A = reinterpret_cast<const T*>(data.A);
  const T* B = reinterpret_cast<const T*>(data.B);
  const std::int64_t most = scaled_rows(p);
  for (std::int64_t i0 = 0; i0 < p.m; i0 += most) {
    const std::int64_t rows = std::min(most, p.m - i0);
    const Gemm<T> multiply(p.op_a, p.op_b, rows, p.n, p.k, call.alpha, p.lda, p.ldb, 0, p.n);
    multiply(A + (p.op_a == Op::none ? i0 * p.lda : i0), B, products);
    const double elements = static_cast<double>(rows) * static_cast<double>(p.n);
    spread(threaded ? threads_for(elements, kElementsPerThread) : 1, rows,
           [&](int, std::int64_t from, std::int64_t to) {
             for (std::int64_t i = from; i < to; ++i) {
               const T* row = reinterpret_cast<const T*>(data.C) + (i0 + i) * p.ldc;
               for (std::int64_t j = 0; j < p.n; ++j) {
                 T x = products[i * p.n + j] * static_cast<T>(scale_at(call, batch, i0 + i, j));
                 if (call.beta != 0) x += static_cast<T>(call.beta) * row[j];
                 finish<T>(call, batch, i0 + i, j, static_cast<double>(x));
               }
             }
           });
  }
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

// Multiplies the numbers of panels that begin at (i0, k0) and (k0, j0) by their scales, of every 128 of k.
void scale_panels(const Call& call, std::int64_t batch, const Panels& panels, std::int64_t i0, std::int64_t j0,
                  std::int64_t k0, std::int64_t rows, std::int64_t cols, std::int64_t depth) {
  const Problem& p = call.problem;
  const std::int64_t a_row = p.op_a == Op::none ? depth : 1, a_col = p.op_a == Op::none ? 1 : rows;
  const std::int64_t b_row = p.op_b == Op::none ? cols : 1, b_col = p.op_b == Op::none ? 1 : depth;
  for (std::int64_t l = 0; l < depth; ++l) {
    const std::int64_t block = (k0 + l) / Problem::kScaleBlock;
    for (std::int64_t i = 0; i < rows; ++i)
      panels.a[i * a_row + l * a_col] *= static_cast<float>(scale_a_at(call, batch, i0 + i, block));
    for (std::int64_t j = 0; j < cols; ++j)
      panels.b[l * b_row + j * b_col] *= static_cast<float>(scale_b_at(call, batch, j0 + j, block));
  }
}

// The sums of a panel that begins at (i0, j0), scaled, finished and rounded into rows `from` to `to` of it.
void finish_panel(const Call& call, std::int64_t batch, const float* sums, std::int64_t i0, std::int64_t j0,
                  std::int64_t from, std::int64_t to, std::int64_t cols) {
  const Problem& p = call.problem;
  const auto alpha = static_cast<float>(call.alpha), beta = static_cast<float>(call.beta);
  with_type(p.out, [&]<class T>() {
    for (std::int64_t i = from; i < to; ++i) {
      const T* row = static_cast<const T*>(call.C) + batch * p.stride_c + (i0 + i) * p.ldc + j0;
      for (std::int64_t j = 0; j < cols; ++j) {
        float x = alpha * sums[i * cols + j];
        if (p.is_scaled()) x *= static_cast<float>(scale_at(call, batch, i0 + i, j0 + j));
        if (beta != 0) x += beta * static_cast<float>(row[j]);
        finish<T>(call, batch, i0 + i, j0 + j, static_cast<double>(x));
      }
    }
  });
}

void multiply_panels(const Call& call, std::int64_t batch, const Panels& panels, bool threaded) {
  const Operands data(call, batch);
  const Problem& p = call.problem;
  for (std::int64_t i0 = 0; i0 < p.m; i0 += panels.m) {
    for (std::int64_t j0 = 0; j0 < p.n; j0 += panels.n) {
      const std::int64_t rows = std::min(panels.m, p.m - i0);
      const std::int64_t cols = std::min(panels.n, p.n - j0);

      for (std::int64_t k0 = 0; k0 < p.k; k0 += panels.k) {
        const std::int64_t depth = std::min(panels.k, p.k - k0);
        widen_panel(p, data.A, p.op_a, p.lda, i0, k0, rows, depth, panels.a, threaded);
        widen_panel(p, data.B, p.op_b, p.ldb, k0, j0, depth, cols, panels.b, threaded);
        if (in_blocks(p.scale_a)) scale_panels(call, batch, panels, i0, j0, k0, rows, cols, depth);
        const Gemm<float> multiply(p.op_a, p.op_b, rows, cols, depth, 1, p.op_a == Op::none ? depth : rows,
                                   p.op_b == Op::none ? cols : depth, k0 == 0 ? 0 : 1, cols);
        multiply(panels.a, panels.b, panels.c);
      }

      const double elements = static_cast<double>(rows) * static_cast<double>(cols);
      spread(threaded ? threads_for(elements, kElementsPerThread) : 1, rows,
             [&](int, std::int64_t from, std::int64_t to) {
               if (p.has_epilogue()) return finish_panel(call, batch, panels.c, i0, j0, from, to, cols);
               narrow(static_cast<float>(call.alpha), panels.c + from * cols, static_cast<float>(call.beta), p.out,
                      data.C + ((i0 + from) * p.ldc + j0) * size_of(p.out), p.ldc, to - from, cols);
             });
    }
  }
}

std::string refuses(const Problem& p) {
  if (p.invariant != Invariant::none)
    return "its sums depend on the shape; invariant results need those of one order";
  if (is_packed(p.in)) {
    return p.out == Type::f64 ? "C is f64; products of narrow types are accumulated in f32" : "";
  }
  if (p.out != p.in) return "C has another type than A and B; for f32 and f64 it must be the same";
  if (p.is_scaled() && !fits(p, kMost)) return "with scales, every size must fit its integers";
  return {};  // tf32 and split allow less accuracy than sgemm has, so sgemm serves them too
}

// What a worker needs: panels, or the products of some rows, which are scaled before beta * C is added.
std::size_t bytes_a_worker(const Problem& p) {
  if (is_packed(p.in)) return Panels(p).bytes();
  return p.is_scaled() ? static_cast<std::size_t>(scaled_rows(p) * p.n * size_of(p.in) + 63) / 64 * 64 : 0;
}

std::size_t workspace_bytes(const Problem& p) { return bytes_a_worker(p) * static_cast<std::size_t>(workers_for(p)); }

Status run(const Call& call, std::span<std::byte> workspace) {
  const Problem& p = call.problem;
  if (p.is_grouped()) {
    each_group(call, [&](const Call& one, std::int64_t) { (void)run(one, workspace); });  // which never fails
    return {};
  }
  if (!reads_inputs(call)) {
    scale_c(call);
    return {};
  }
  const auto direct = [&](std::int64_t begin, std::int64_t end) {
    const bool threaded = end - begin == p.batch;
    if (p.in == Type::f64) {
      multiply_direct<double>(call, begin, end);
      finish_direct<double>(call, begin, end, threaded);
    } else {
      multiply_direct<float>(call, begin, end);
      finish_direct<float>(call, begin, end, threaded);
    }
  };
  const bool packed = is_packed(p.in), staged = packed || p.is_scaled();
  if (!staged && p.batch == 1) {  // the shortest way to cblas: small products take less time than the rest of this
    direct(0, 1);
    return {};
  }
  const std::size_t own_bytes = staged ? bytes_a_worker(p) : 0;
  auto workers = static_cast<std::size_t>(workers_for(p));
  // OpenBLAS's thread count may have grown since the size of the workspace was computed.
  if (staged) workers = std::min(workers, workspace.size() / own_bytes);

  const auto chunk = static_cast<std::int64_t>(std::max(1.0, kTimePerChunk / product_time(p)));
  share(static_cast<int>(workers), p.batch, chunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    if (!staged) return direct(begin, end);
    std::byte* const own = workspace.data() + own_bytes * static_cast<std::size_t>(worker);
    Panels panels(p);
    if (packed) panels.place(own);
    for (std::int64_t batch = begin; batch < end; ++batch) {
      if (packed) {
        multiply_panels(call, batch, panels, workers == 1);
      } else if (p.in == Type::f64) {
        multiply_scaled(call, batch, reinterpret_cast<double*>(own), workers == 1);
      } else {
        multiply_scaled(call, batch, reinterpret_cast<float*>(own), workers == 1);
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
