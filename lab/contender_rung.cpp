#include "lab/contender_rung.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "lab/leading.hpp"
#include "src/dispatch/candidate.hpp"
#include "src/dispatch/check.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab {

RungContender::RungContender(std::shared_ptr<runtime::Machine> machine, const Rung& rung, int tile)
    : machine_(std::move(machine)),
      rung_(rung),
      tile_(tile),
      id_(tile == 0 ? std::string(rung.id) : std::string(rung.id) + "@" + std::to_string(tile)) {}

Work RungContender::work() const {
  switch (rung_.kind) {
    case RungKind::gemm: return Work::product;
    case RungKind::transpose:
    case RungKind::copy: return Work::move;
    case RungKind::probe: break;
  }
  return Work::probe;
}

Problem RungContender::suited(const Problem& asked) const {
  if (rung_.kind == RungKind::gemm) return asked;
  if (rung_.kind == RungKind::probe) {
    for (const Types& t : rung_.types)
      if (t.in == asked.in && t.out == asked.out && t.compute == asked.compute) return asked;
  }
  const Op op_a = rung_.kind == RungKind::transpose ? Op::transpose : Op::none;
  Problem own = Problem::packed(asked.in, op_a, Op::none, asked.m, asked.n, asked.n);
  own.lda += padding(asked.a()), own.ldc += padding(asked.c());
  own.batch = asked.batch;
  set_strides_end_to_end(own);
  return own;
}

std::string RungContender::refuses(const Problem& problem) const {
  if (auto s = dispatch::check(problem); !s.ok()) return s.message();
  if (work() == Work::move && (problem.order != Order::row || problem.k != problem.n || problem.batch != 1)) {
    return "it copies or transposes one row-major matrix; write the problem with k = n";
  }
  const Problem row = dispatch::to_row(problem);
  const Device device = dispatch::device_of(machine_->facts());
  std::string why = dispatch::why_not(rung_, row, device);
  if (why.empty() && rung_.finishes != nullptr &&
      !rung_.finishes(row, dispatch::candidate(rung_, row, device, tile_).choice))
    why = "this tile does not take the epilogue; others of the rung do";
  return why;
}

Status RungContender::prepare(const Problem& problem) {
  chosen_ = dispatch::candidate(rung_, dispatch::to_row(problem), dispatch::device_of(machine_->facts()), tile_);
  const std::size_t bytes = chosen_.choice.scratch_bytes;
  if (bytes <= scratch_.bytes()) return {};
  runtime::Buffer larger;
  if (auto s = runtime::Buffer::make(machine_, bytes, larger); !s.ok()) return s;
  scratch_ = std::move(larger);
  return {};
}

Status RungContender::run(const Call& call, runtime::Stream stream) {
  // A move has no B, and its A and C are the laboratory's own.
  if (work() != Work::move)
    if (auto s = dispatch::check_pointers(call); !s.ok()) return s;
  multiplied_ = false;
  if (call.problem.m == 0 || call.problem.n == 0) return {};
  const Call row = dispatch::to_row(dispatch::with_rounded_scalars(call));
  const std::span scratch(static_cast<std::byte*>(scratch_.data()), scratch_.bytes());
  RungArgs args{row.problem, row.alpha, row.A, row.B, row.beta, row.C, machine_->facts().units, scratch};
  args.bias = row.bias, args.before = row.before;
  args.scale_a = row.scale_a, args.scale_b = row.scale_b, args.ends = row.ends;
  multiplied_ = args.depth() > 0 && call.problem.batch > 0;
  const runtime::Here here(*machine_);
  return dispatch::launch(chosen_, args, stream);
}

std::string RungContender::took() { return multiplied_ ? lab::took(rung_, *machine_, scratch_) : ""; }

std::string took(const Rung& rung, runtime::Machine& machine, const runtime::Buffer& scratch) {
  std::array<std::byte, kTookBytes> head{};
  if (rung.took == nullptr || scratch.bytes() < head.size()) return "";
  const runtime::Here here(machine);
  runtime::Stream const stream = nullptr;
  if (!machine.copy_out(head.data(), scratch.data(), head.size(), stream).ok() || !machine.synchronize(stream).ok())
    return "";
  return rung.took(head.data());
}

void add_rungs(const std::shared_ptr<runtime::Machine>& machine, bool all_tiles, Contenders& out) {
  for (const Rung* rung : dispatch::ladder_of(machine->facts().kind)) {
    for (int tile = 0; tile < (all_tiles ? rung->tiles : 1); ++tile) {
      out.push_back(std::make_unique<RungContender>(machine, *rung, tile));
    }
  }
}

}  // namespace cairn::lab
