#include "src/dispatch/normalize.hpp"

#include <utility>

namespace cairn::dispatch {

Problem flipped(const Problem& problem) {
  Problem p = problem;
  p.order = problem.order == Order::row ? Order::column : Order::row;
  std::swap(p.m, p.n);
  std::swap(p.op_a, p.op_b);
  std::swap(p.lda, p.ldb);
  std::swap(p.stride_a, p.stride_b);
  if (problem.invariant == Invariant::rows) p.invariant = Invariant::columns;
  if (problem.invariant == Invariant::columns) p.invariant = Invariant::rows;
  std::swap(p.scale_a, p.scale_b);
  std::swap(p.stride_scale_a, p.stride_scale_b);
  if (problem.bias == Bias::rows) p.bias = Bias::columns;
  if (problem.bias == Bias::columns) p.bias = Bias::rows;
  return p;
}

Call flipped(const Call& call) {
  Call c = call;
  c.problem = flipped(call.problem);
  std::swap(c.A, c.B);
  std::swap(c.scale_a, c.scale_b);
  return c;
}

Call with_rounded_scalars(const Call& call) {
  Call c = call;
  c.alpha = rounded_scalar(call.alpha, call.problem.in);
  c.beta = rounded_scalar(call.beta, call.problem.in);
  return c;
}

Problem with_used_strides(Problem p) {
  if (p.bias == Bias::none) p.stride_bias = 0;
  if (p.scale_a == Scale::none) p.stride_scale_a = 0;
  if (p.scale_b == Scale::none) p.stride_scale_b = 0;
  return p;
}

Problem to_row(const Problem& problem) { return problem.order == Order::row ? problem : flipped(problem); }

Call to_row(const Call& call) { return call.problem.order == Order::row ? call : flipped(call); }

Call to_column(const Call& call) { return call.problem.order == Order::column ? call : flipped(call); }

}  // namespace cairn::dispatch
