// A new field of cairn_problem: append it in cairn.h, with its 0 in CAIRN_PROBLEM_INIT, and give it a line in to_cpp
// and one in to_c. kFirstBytes never changes.
#include "src/api/c_problem.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace cairn::api {
namespace {

// The size of cairn_problem in 0.2, the first version with a `size` field: up to and including stride_c.
constexpr std::size_t kFirstBytes = offsetof(cairn_problem, stride_c) + sizeof(cairn_problem::stride_c);
// Every byte of a problem is read, so an uninitialised size must not make us read gigabytes.
constexpr std::size_t kMostBytes = 4096;

// Padding is never initialised, so a later version that puts a field there would read garbage. A 4-byte field is
// therefore followed by a second one, a reserved one if need be.
static_assert(std::has_unique_object_representations_v<cairn_problem>, "cairn_problem has padding");
static_assert(offsetof(cairn_problem, size) == 0);
static_assert(sizeof(cairn_problem) <= kMostBytes);

Status check_size(const cairn_problem* problem) {
  if (problem == nullptr) return null("problem");
  const std::size_t size = problem->size;
  // Every version's size is a multiple of the struct's alignment, and half a field must not be read.
  if (size >= kFirstBytes && size <= kMostBytes && size % alignof(cairn_problem) == 0) return {};
  return {Code::invalid_argument, "problem->size is " + std::to_string(size) + "; it must be at least " +
                                      std::to_string(kFirstBytes) + " (at most " + std::to_string(kMostBytes) +
                                      ", a multiple of " + std::to_string(alignof(cairn_problem)) +
                                      "); initialise the problem with CAIRN_PROBLEM_INIT"};
}

Status to_cpp(const cairn_problem& from, Problem& to) {
  if (auto s = read_enum("in", from.in, CAIRN_E4M3, to.in); !s.ok()) return s;
  if (auto s = read_enum("out", from.out, CAIRN_E4M3, to.out); !s.ok()) return s;
  if (auto s = read_enum("compute", from.compute, CAIRN_FAST, to.compute); !s.ok()) return s;
  if (auto s = read_enum("order", from.order, CAIRN_COLUMN, to.order); !s.ok()) return s;
  if (auto s = read_op("op_a", from.op_a, to.op_a); !s.ok()) return s;
  if (auto s = read_op("op_b", from.op_b, to.op_b); !s.ok()) return s;
  to.m = from.m, to.n = from.n, to.k = from.k;
  to.lda = from.lda, to.ldb = from.ldb, to.ldc = from.ldc;
  to.batch = from.batch;
  to.stride_a = from.stride_a, to.stride_b = from.stride_b, to.stride_c = from.stride_c;
  if (auto s = read_enum("invariant", from.invariant, CAIRN_INVARIANT_COLUMNS, to.invariant); !s.ok()) return s;
  if (auto s = read_enum("bias", from.bias, CAIRN_BIAS_COLUMNS, to.bias); !s.ok()) return s;
  if (to.bias != Bias::none) {  // 0, as of older callers, would be f64
    if (auto s = read_enum("bias_type", from.bias_type, CAIRN_E4M3, to.bias_type); !s.ok()) return s;
  }
  if (auto s = read_enum("activation", from.activation, CAIRN_SILU, to.activation); !s.ok()) return s;
  if (auto s = read_enum("before", from.before, CAIRN_BEFORE_STORED, to.before); !s.ok()) return s;
  to.stride_bias = from.stride_bias;
  if (auto s = read_enum("scale_a", from.scale_a, CAIRN_SCALE_BLOCKS, to.scale_a); !s.ok()) return s;
  if (auto s = read_enum("scale_b", from.scale_b, CAIRN_SCALE_BLOCKS, to.scale_b); !s.ok()) return s;
  to.stride_scale_a = from.stride_scale_a, to.stride_scale_b = from.stride_scale_b;
  to.groups = from.groups;
  if (from.reserved != 0) {
    return {Code::unsupported, "reserved is " + std::to_string(from.reserved) + "; it must be 0"};
  }
  return {};
}

cairn_problem to_c(const Problem& p) {
  cairn_problem c = CAIRN_PROBLEM_INIT;
  c.in = static_cast<int32_t>(p.in), c.out = static_cast<int32_t>(p.out);
  c.compute = static_cast<int32_t>(p.compute), c.order = static_cast<int32_t>(p.order);
  c.op_a = static_cast<int32_t>(p.op_a), c.op_b = static_cast<int32_t>(p.op_b);
  c.m = p.m, c.n = p.n, c.k = p.k;
  c.lda = p.lda, c.ldb = p.ldb, c.ldc = p.ldc;
  c.batch = p.batch;
  c.stride_a = p.stride_a, c.stride_b = p.stride_b, c.stride_c = p.stride_c;
  c.invariant = static_cast<int32_t>(p.invariant);
  c.bias = static_cast<int32_t>(p.bias), c.stride_bias = p.stride_bias;
  if (p.bias != Bias::none) c.bias_type = static_cast<int32_t>(p.bias_type);
  c.activation = static_cast<int32_t>(p.activation), c.before = static_cast<int32_t>(p.before);
  c.scale_a = static_cast<int32_t>(p.scale_a), c.scale_b = static_cast<int32_t>(p.scale_b);
  c.stride_scale_a = p.stride_scale_a, c.stride_scale_b = p.stride_scale_b;
  c.groups = p.groups;
  return c;
}

}  // namespace

Status null(const char* what) { return {Code::invalid_argument, std::string(what) + " is null; it must not be"}; }

Status read_op(const char* what, std::int64_t value, Op& out) {
  std::int64_t checked = 0;
  if (auto s = read_enum(what, value, CAIRN_OP_C, checked); !s.ok()) return s;
  out = checked == CAIRN_OP_N ? Op::none : Op::transpose;
  return {};
}

bool copy_version(const void* from, std::size_t from_bytes, void* to, std::size_t to_bytes) {
  const std::size_t both = std::min(from_bytes, to_bytes);
  const auto* source = static_cast<const unsigned char*>(from);
  if (std::any_of(source + both, source + from_bytes, [](unsigned char byte) { return byte != 0; })) return false;
  std::memcpy(to, from, both);
  std::memset(static_cast<unsigned char*>(to) + both, 0, to_bytes - both);
  return true;
}

Status read_problem(const cairn_problem* from, Problem& to) {
  if (auto s = check_size(from); !s.ok()) return s;
  cairn_problem ours;
  if (!copy_version(from, from->size, &ours, sizeof ours)) {
    return {Code::unsupported,
            "the problem uses a field that this version of the library does not know: problem->size is " +
                std::to_string(from->size) + ", and what follows the first " + std::to_string(sizeof ours) +
                " bytes is not all zero"};
  }
  return to_cpp(ours, to);
}

Status read_operands(const cairn_operands* from, Operands& to) {
  if (from == nullptr) return null("operands");
  // The size that the struct had first; it only grows.
  constexpr std::size_t first = offsetof(cairn_operands, before) + sizeof(cairn_operands::before);
  if (from->size < first || from->size > kMostBytes) {
    return {Code::invalid_argument, "operands->size is " + std::to_string(from->size) + "; it must be at least " +
                                        std::to_string(first) + "; initialise the operands with CAIRN_OPERANDS_INIT"};
  }
  cairn_operands ours;
  if (!copy_version(from, from->size, &ours, sizeof ours)) {
    return {Code::unsupported, "the operands use a field that this version of the library does not know"};
  }
  to = {ours.A, ours.B, ours.C, ours.bias, ours.before, ours.scale_a, ours.scale_b, ours.ends};
  return {};
}

Status write_problem(const Problem& from, cairn_problem* to) {
  if (auto s = check_size(to); !s.ok()) return s;
  cairn_problem ours = to_c(from);
  ours.size = to->size;
  if (!copy_version(&ours, sizeof ours, to, ours.size)) {
    return {Code::unsupported,
            "the problem needs a field that the caller's cairn.h does not have: problem->size is " +
                std::to_string(ours.size) + ", and it takes " + std::to_string(sizeof ours)};
  }
  return {};
}

}  // namespace cairn::api
