// Cairn for C++: open a Handle on a device, describe a Problem, multiply.
//
//   cairn::Handle handle;
//   if (auto s = cairn::Handle::open(cairn::kCpu, handle); !s.ok()) return fail(s.message());
//   auto s = cairn::gemm(handle, Op::none, Op::transpose, m, n, k, 1.0f, A, lda, B, ldb, 0.0f, C, ldc);
//
// Every call returns a Status and none throws, prints or exits. A call that is refused writes nothing.
// Separate handles may be used from separate threads at once; one handle by one thread at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "cairn/numbers.hpp"
#include "cairn/types.hpp"

namespace cairn {

// Devices: 0, 1, 2 … are the GPUs as CUDA counts them.
inline constexpr int kCpu = -1;
inline constexpr int kEmu = -2;  // the same kernels, emulated on the CPU: for studying them, not for speed

// An open device, with the stream and the scratch memory that calls use.
class Handle {
 public:
  Handle() noexcept;  // not open: every call with it is refused
  ~Handle();
  Handle(Handle&&) noexcept;
  Handle& operator=(Handle&&) noexcept;

  // Opens `device`; on failure `out` stays as it was.
  static Status open(int device, Handle& out) noexcept;
  bool is_open() const noexcept { return impl_ != nullptr; }
  int device() const noexcept;

  // Work is enqueued on this stream (a cudaStream_t on a GPU; the CPU and the emulated GPU have only the null stream
  // and work before the call returns).
  Status set_stream(void* stream) noexcept;
  void* stream() const noexcept;

  // Scratch memory for plans that need it, on the device and aligned to 256 bytes. By default the handle
  // allocates its own as needed and keeps it. A workspace set here stays the caller's and is never freed
  // by the handle; (nullptr, 0) returns to the handle's own.
  Status set_workspace(void* workspace, std::size_t bytes) noexcept;

  // How f32 products that ask for nothing else (in and out f32, compute native) are computed: `native`, in IEEE f32, or
  // `split`, for programs that do not ask for Compute::split themselves. A handle begins with what the environment
  // variable CAIRN_F32 says when it is opened, native or split, and with native where it is not set; open() refuses
  // anything else. Calls and plans from now on change, plans made before do not. On the CPU nothing changes, and
  // f32 with an epilogue, scales, groups or an Invariant stays IEEE f32; Plan::why() says which it is.
  Status set_f32(Compute f32) noexcept;
  Compute f32() const noexcept;

  struct Impl;
  Impl* impl() const noexcept { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

// The data of a product; what the problem does not ask for stays null.
struct Operands {
  const void* A = nullptr;
  const void* B = nullptr;
  void* C = nullptr;
  const void* bias = nullptr;     // m or n elements of the problem's bias_type, stride_bias apart
  void* before = nullptr;         // the value before the activation: laid out as C, and not read
  const void* scale_a = nullptr;  // f32 (f64 for f64 inputs)
  const void* scale_b = nullptr;
  const std::int32_t* ends = nullptr;  // of the groups: one past the last row of each, none below the one before
};

// The kernel or backend that was chosen for a problem on a handle's device, and why.
class Plan {
 public:
  Plan() noexcept;  // empty: run() refuses it
  ~Plan();
  Plan(const Plan&) noexcept;
  Plan& operator=(const Plan&) noexcept;

  const Problem& problem() const noexcept;       // as it was asked for
  const std::string& id() const noexcept;        // the chosen kernel or backend, e.g. "cpu/openblas"
  const std::string& tile() const noexcept;      // that kernel's tile, e.g. "128x256, 4 stages"; empty on the CPU
  std::size_t workspace_bytes() const noexcept;  // the most scratch memory that run() may take from the handle
  const std::string& why() const noexcept;       // one line per candidate: its forecast, or what ruled it out

  struct Impl;
  const Impl* impl() const noexcept { return impl_.get(); }

 private:
  friend Status plan(const Handle&, const Problem&, Plan&) noexcept;
  friend Status plan(const Handle&, const Problem&, std::string_view, Plan&) noexcept;
  friend Status run(Handle&, const Plan&, double, double, const Operands&) noexcept;
  std::shared_ptr<const Impl> impl_;
};

// Chooses what to run. A plan may be copied, and run any number of times with any handle on the same
// device. On failure `out` stays as it was.
Status plan(const Handle& handle, const Problem& problem, Plan& out) noexcept;

// The same with the kernel named instead of chosen, for comparing the rungs of the ladder: "simt/13", or "simt/22@2" with
// a tile. Refused if it does not take the problem, and on the CPU, which has no rungs.
Status plan(const Handle& handle, const Problem& problem, std::string_view rung, Plan& out) noexcept;

// The ids of the rungs that multiply, from the bottom of the ladder: 0, 1, 2 … until the id is empty.
std::string_view rung_id(std::size_t index) noexcept;

// C = alpha * op(A) * op(B) + beta * C. alpha and beta are first rounded to f64 for f64 problems and to f32
// for all others. beta = 0 does not read C; alpha = 0 or k = 0 does not read A or B, which may be null.
//
// C must not share memory with A or B (which may share theirs): such a call is refused. Blocks of one larger matrix,
// whose rows or columns interleave in memory, are taken. An overlap of batches whose strides and leading dimensions
// differ may go unnoticed where finding it would take too long; what C holds then is undefined.
//
// With an epilogue (Problem::bias, activation, before) C = activation(alpha * op(A) * op(B) + beta * C + bias), rounded
// once. What is written (C and `before`) must share no memory with anything else.
Status run(Handle& handle, const Plan& plan, double alpha, double beta, const Operands& operands) noexcept;
Status run(Handle& handle, const Plan& plan, double alpha, const void* A, const void* B, double beta,
           void* C) noexcept;

// plan() and run() in one. The handle caches its plans (up to 256, by problem), so that calling this in a loop plans
// once.
Status gemm(Handle& handle, const Problem& problem, double alpha, double beta, const Operands& operands) noexcept;
Status gemm(Handle& handle, const Problem& problem, double alpha, const void* A, const void* B, double beta,
            void* C) noexcept;

// The most scratch memory that gemm() may take for this problem. It often takes less where A and B are aligned to 16
// bytes, since misaligned operands may have to be packed into scratch memory first.
Status workspace_size(const Handle& handle, const Problem& problem, std::size_t& bytes) noexcept;

const char* version() noexcept;  // "0.2.0"

// alpha and beta of a typed call: double for f64, float for everything else.
template <Element T> using Scalar = std::conditional_t<std::same_as<T, double>, double, float>;

// One product, types taken from the pointers.
template <Element In, Element Out>
Status gemm(Handle& handle, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            std::type_identity_t<Scalar<In>> alpha, const In* A, std::int64_t lda, const In* B, std::int64_t ldb,
            std::type_identity_t<Scalar<In>> beta, Out* C, std::int64_t ldc, Order order = Order::row,
            Compute compute = Compute::native) noexcept {
  Problem p;
  p.in = type_of<In>, p.out = type_of<Out>, p.compute = compute, p.order = order;
  p.op_a = op_a, p.op_b = op_b, p.m = m, p.n = n, p.k = k;
  p.lda = lda, p.ldb = ldb, p.ldc = ldc;
  return gemm(handle, p, static_cast<double>(alpha), A, B, static_cast<double>(beta), C);
}

// `batch` products, stride_* elements apart.
template <Element In, Element Out>
Status gemm_batched(Handle& handle, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                    std::type_identity_t<Scalar<In>> alpha, const In* A, std::int64_t lda, std::int64_t stride_a,
                    const In* B, std::int64_t ldb, std::int64_t stride_b, std::type_identity_t<Scalar<In>> beta,
                    Out* C, std::int64_t ldc, std::int64_t stride_c, std::int64_t batch, Order order = Order::row,
                    Compute compute = Compute::native) noexcept {
  Problem p;
  p.in = type_of<In>, p.out = type_of<Out>, p.compute = compute, p.order = order;
  p.op_a = op_a, p.op_b = op_b, p.m = m, p.n = n, p.k = k;
  p.lda = lda, p.ldb = ldb, p.ldc = ldc;
  p.batch = batch, p.stride_a = stride_a, p.stride_b = stride_b, p.stride_c = stride_c;
  return gemm(handle, p, static_cast<double>(alpha), A, B, static_cast<double>(beta), C);
}

}  // namespace cairn
