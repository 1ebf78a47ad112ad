// The C API: translates calls to the C++ API and keeps the last error message of each thread.
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cairn/cairn.h"
#include "cairn/cairn.hpp"
#include "src/api/c_problem.hpp"
#include "src/api/guard.hpp"
#include "src/api/live.hpp"

using cairn::Code;
using cairn::Status;
using cairn::api::Live;
using cairn::api::null;
using cairn::api::read_operands;
using cairn::api::read_problem;

// The objects behind the opaque pointers of cairn.h.
struct cairn_handle_t {
  explicit cairn_handle_t(cairn::Handle opened) : handle(std::move(opened)) {}
  cairn::Handle handle;
};
struct cairn_plan_t {
  explicit cairn_plan_t(const cairn::Plan& made) : plan(made) {}
  cairn::Plan plan;
};

namespace {

// The last error message of this thread; keep() leaves it empty if there is no memory to store it.
std::string& last_error() {
  static thread_local std::string text;
  return text;
}

cairn_status keep(const Status& status) noexcept {
  try {
    last_error() = status.message();
  } catch (...) {
    last_error().clear();
  }
  return static_cast<cairn_status>(status.code());
}

template <class F> cairn_status answer(F&& body) noexcept { return keep(cairn::api::guarded(std::forward<F>(body))); }

Status not_live(cairn_handle) {
  return {Code::invalid_argument,
          "handle is not an open handle; it must come from cairn_create and not have been destroyed"};
}
Status not_live(cairn_plan) {
  return {Code::invalid_argument,
          "plan is not a plan; it must come from cairn_plan_create and not have been destroyed"};
}

Status live(cairn_handle handle) {
  if (handle == nullptr) return null("handle");
  return Live<cairn_handle_t>::has(handle) ? Status{} : not_live(handle);
}

Status live(cairn_plan plan) {
  if (plan == nullptr) return null("plan");
  return Live<cairn_plan_t>::has(plan) ? Status{} : not_live(plan);
}

// NULL is allowed. The last error message stays if all is well, since programs destroy first and report then.
template <class T> cairn_status destroy(T* object) noexcept {
  if (object == nullptr || Live<T>::remove(object) != nullptr) return CAIRN_OK;
  return answer([&] { return not_live(object); });
}

Status gemm(cairn_handle handle, const cairn_problem* problem, double alpha, const void* A, const void* B,
            double beta, void* C) {
  if (auto s = live(handle); !s.ok()) return s;
  cairn::Problem p;
  if (auto s = read_problem(problem, p); !s.ok()) return s;
  return cairn::gemm(handle->handle, p, alpha, A, B, beta, C);
}

// make(p, plan) makes the plan of a handle that is open.
template <class Make>
Status create_plan(cairn_plan* plan, cairn_handle handle, const cairn_problem* problem, Make&& make) {
  if (plan == nullptr) return null("plan");
  if (auto s = live(handle); !s.ok()) return s;
  cairn::Problem p;
  if (auto s = read_problem(problem, p); !s.ok()) return s;
  cairn::Plan made;
  if (auto s = make(p, made); !s.ok()) return s;
  *plan = Live<cairn_plan_t>::add(std::make_unique<cairn_plan_t>(made));
  return {};
}

cairn_status typed(cairn_type type, cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                   int64_t n, int64_t k, double alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                   double beta, void* C, int64_t ldc) {
  cairn_problem p = CAIRN_PROBLEM_INIT;
  p.in = p.out = type, p.order = order, p.op_a = op_a, p.op_b = op_b;
  p.m = m, p.n = n, p.k = k, p.lda = lda, p.ldb = ldb, p.ldc = ldc, p.batch = 1;
  return answer([&] { return gemm(handle, &p, alpha, A, B, beta, C); });
}

}  // namespace

const char* cairn_version(void) { return cairn::version(); }

const char* cairn_status_name(cairn_status status) {
  // The views are of string literals, so they are null-terminated.
  const auto value = static_cast<std::int64_t>(status);
  return value < 0 || value > CAIRN_INTERNAL_ERROR ? "unknown" : cairn::name(static_cast<Code>(value)).data();
}

const char* cairn_last_error(void) { return last_error().c_str(); }

cairn_status cairn_problem_packed(cairn_problem* problem, cairn_type type, cairn_order order, cairn_op op_a,
                                  cairn_op op_b, int64_t m, int64_t n, int64_t k) {
  return answer([&]() -> Status {
    cairn::Problem p;
    if (auto s = cairn::api::read_enum("type", type, CAIRN_E4M3, p.in); !s.ok()) return s;
    if (auto s = cairn::api::read_enum("order", order, CAIRN_COLUMN, p.order); !s.ok()) return s;
    if (auto s = cairn::api::read_op("op_a", op_a, p.op_a); !s.ok()) return s;
    if (auto s = cairn::api::read_op("op_b", op_b, p.op_b); !s.ok()) return s;
    return cairn::api::write_problem(cairn::Problem::packed(p.in, p.op_a, p.op_b, m, n, k, p.order), problem);
  });
}

cairn_status cairn_problem_parse(cairn_problem* problem, const char* text) {
  return answer([&]() -> Status {
    if (text == nullptr) return null("text");
    cairn::Problem p;
    if (auto s = cairn::parse(text, p); !s.ok()) return s;
    return cairn::api::write_problem(p, problem);
  });
}

cairn_status cairn_problem_print(const cairn_problem* problem, int full, char* text, size_t size, size_t* needed) {
  return answer([&]() -> Status {
    cairn::Problem p;
    if (auto s = read_problem(problem, p); !s.ok()) return s;
    const std::string printed = full != 0 ? p.full() : p.brief();
    if (needed != nullptr) *needed = printed.size() + 1;
    if (text == nullptr && size == 0 && needed != nullptr) return {};  // only asking
    if (text == nullptr) return null("text");
    if (size < printed.size() + 1) {
      return {Code::invalid_argument, "size is " + std::to_string(size) + "; this problem needs at least " +
                                          std::to_string(printed.size() + 1)};
    }
    std::memcpy(text, printed.c_str(), printed.size() + 1);
    return {};
  });
}

cairn_status cairn_create(cairn_handle* handle, int device) {
  return answer([&]() -> Status {
    if (handle == nullptr) return null("handle");
    cairn::Handle opened;
    if (auto s = cairn::Handle::open(device, opened); !s.ok()) return s;
    *handle = Live<cairn_handle_t>::add(std::make_unique<cairn_handle_t>(std::move(opened)));
    return {};
  });
}

cairn_status cairn_destroy(cairn_handle handle) { return destroy(handle); }

cairn_status cairn_get_device(cairn_handle handle, int* device) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (device == nullptr) return null("device");
    *device = handle->handle.device();
    return {};
  });
}

cairn_status cairn_set_stream(cairn_handle handle, void* stream) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    return handle->handle.set_stream(stream);
  });
}

cairn_status cairn_get_stream(cairn_handle handle, void** stream) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (stream == nullptr) return null("stream");
    *stream = handle->handle.stream();
    return {};
  });
}

cairn_status cairn_set_workspace(cairn_handle handle, void* workspace, size_t bytes) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    return handle->handle.set_workspace(workspace, bytes);
  });
}

cairn_status cairn_set_f32(cairn_handle handle, cairn_compute f32) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    cairn::Compute compute{};
    if (auto s = cairn::api::read_enum("f32", f32, CAIRN_FAST, compute); !s.ok()) return s;
    return handle->handle.set_f32(compute);
  });
}

cairn_status cairn_get_f32(cairn_handle handle, cairn_compute* f32) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (f32 == nullptr) return null("f32");
    *f32 = static_cast<cairn_compute>(handle->handle.f32());
    return {};
  });
}

cairn_status cairn_workspace_size(cairn_handle handle, const cairn_problem* problem, size_t* bytes) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (bytes == nullptr) return null("bytes");
    cairn::Problem p;
    if (auto s = read_problem(problem, p); !s.ok()) return s;
    return cairn::workspace_size(handle->handle, p, *bytes);
  });
}

cairn_status cairn_gemm(cairn_handle handle, const cairn_problem* problem, double alpha, const void* A, const void* B,
                        double beta, void* C) {
  return answer([&] { return gemm(handle, problem, alpha, A, B, beta, C); });
}

cairn_status cairn_gemm_operands(cairn_handle handle, const cairn_problem* problem, double alpha, double beta,
                                 const cairn_operands* operands) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    cairn::Problem p;
    if (auto s = read_problem(problem, p); !s.ok()) return s;
    cairn::Operands data;
    if (auto s = read_operands(operands, data); !s.ok()) return s;
    return cairn::gemm(handle->handle, p, alpha, beta, data);
  });
}

cairn_status cairn_plan_create(cairn_plan* plan, cairn_handle handle, const cairn_problem* problem) {
  return answer([&] {
    return create_plan(plan, handle, problem, [&](const cairn::Problem& p, cairn::Plan& made) {
      return cairn::plan(handle->handle, p, made);
    });
  });
}

cairn_status cairn_plan_create_named(cairn_plan* plan, cairn_handle handle, const cairn_problem* problem,
                                     const char* rung) {
  return answer([&] {
    if (rung == nullptr) return null("rung");
    return create_plan(plan, handle, problem, [&](const cairn::Problem& p, cairn::Plan& made) {
      return cairn::plan(handle->handle, p, rung, made);
    });
  });
}

// The ids are literals, so they are null-terminated.
const char* cairn_rung_id(size_t index) {
  const std::string_view id = cairn::rung_id(index);
  return id.empty() ? nullptr : id.data();
}

size_t cairn_rung_count(void) {
  size_t count = 0;
  while (!cairn::rung_id(count).empty()) ++count;
  return count;
}

cairn_status cairn_plan_destroy(cairn_plan plan) { return destroy(plan); }

cairn_status cairn_plan_id(cairn_plan plan, const char** id) {
  return answer([&]() -> Status {
    if (auto s = live(plan); !s.ok()) return s;
    if (id == nullptr) return null("id");
    *id = plan->plan.id().c_str();
    return {};
  });
}

cairn_status cairn_plan_tile(cairn_plan plan, const char** tile) {
  return answer([&]() -> Status {
    if (auto s = live(plan); !s.ok()) return s;
    if (tile == nullptr) return null("tile");
    *tile = plan->plan.tile().c_str();
    return {};
  });
}

cairn_status cairn_plan_why(cairn_plan plan, const char** why) {
  return answer([&]() -> Status {
    if (auto s = live(plan); !s.ok()) return s;
    if (why == nullptr) return null("why");
    *why = plan->plan.why().c_str();
    return {};
  });
}

cairn_status cairn_plan_workspace(cairn_plan plan, size_t* bytes) {
  return answer([&]() -> Status {
    if (auto s = live(plan); !s.ok()) return s;
    if (bytes == nullptr) return null("bytes");
    *bytes = plan->plan.workspace_bytes();
    return {};
  });
}

cairn_status cairn_run(cairn_handle handle, cairn_plan plan, double alpha, const void* A, const void* B, double beta,
                       void* C) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (auto s = live(plan); !s.ok()) return s;
    return cairn::run(handle->handle, plan->plan, alpha, A, B, beta, C);
  });
}

cairn_status cairn_run_operands(cairn_handle handle, cairn_plan plan, double alpha, double beta,
                                const cairn_operands* operands) {
  return answer([&]() -> Status {
    if (auto s = live(handle); !s.ok()) return s;
    if (auto s = live(plan); !s.ok()) return s;
    cairn::Operands data;
    if (auto s = read_operands(operands, data); !s.ok()) return s;
    return cairn::run(handle->handle, plan->plan, alpha, beta, data);
  });
}

cairn_status cairn_gemm_f64(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, double alpha, const double* A, int64_t lda, const double* B,
                            int64_t ldb, double beta, double* C, int64_t ldc) {
  return typed(CAIRN_F64, handle, order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cairn_status cairn_gemm_f32(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, float alpha, const float* A, int64_t lda, const float* B,
                            int64_t ldb, float beta, float* C, int64_t ldc) {
  return typed(CAIRN_F32, handle, order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cairn_status cairn_gemm_f16(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                            int64_t n, int64_t k, float alpha, const cairn_f16* A, int64_t lda, const cairn_f16* B,
                            int64_t ldb, float beta, cairn_f16* C, int64_t ldc) {
  return typed(CAIRN_F16, handle, order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cairn_status cairn_gemm_bf16(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                             int64_t n, int64_t k, float alpha, const cairn_bf16* A, int64_t lda, const cairn_bf16* B,
                             int64_t ldb, float beta, cairn_bf16* C, int64_t ldc) {
  return typed(CAIRN_BF16, handle, order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cairn_status cairn_gemm_e4m3(cairn_handle handle, cairn_order order, cairn_op op_a, cairn_op op_b, int64_t m,
                             int64_t n, int64_t k, float alpha, const cairn_e4m3* A, int64_t lda, const cairn_e4m3* B,
                             int64_t ldb, float beta, cairn_e4m3* C, int64_t ldc) {
  return typed(CAIRN_E4M3, handle, order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
