#include "src/cpu/groups.hpp"

#include <cstddef>

#include "src/cpu/epilogue.hpp"

namespace cairn::cpu {
namespace {

template <class Bytes> Bytes* past(Bytes* from, std::int64_t elements, Type type) {
  return from == nullptr ? nullptr : from + elements * size_of(type);
}
const void* past(const void* from, std::int64_t elements, Type type) {
  return past(static_cast<const std::byte*>(from), elements, type);
}
void* past(void* from, std::int64_t elements, Type type) {
  return past(static_cast<std::byte*>(from), elements, type);
}

}  // namespace

Call group_call(const Call& call, std::int64_t group, std::int64_t first, std::int64_t end) {
  const Problem& p = call.problem;
  Call one = call;
  one.problem.groups = 0, one.ends = nullptr;
  one.problem.m = end - first;
  one.A = past(call.A, p.op_a == Op::none ? first * p.lda : first, p.in);
  one.B = past(call.B, group * p.stride_b, p.in);
  one.C = past(call.C, first * p.ldc, p.out);
  one.before = past(call.before, first * p.ldc, p.out);
  one.bias = past(call.bias, p.bias == Bias::rows ? first : group * p.stride_bias, p.bias_type);
  one.scale_a = past(call.scale_a, scale_index(p, p.scale_a, first, 0), accumulator(p.in));
  one.scale_b = past(call.scale_b, group * p.stride_scale_b, accumulator(p.in));
  return one;
}

}  // namespace cairn::cpu
