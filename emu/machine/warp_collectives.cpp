// Warp collectives. A lane stores its value and waits; the last lane of the mask computes the results of all. It does
// so at once, because a lane that continues may be in its next collective before a slower one has read its result.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emu/machine/block.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

namespace {

std::uint32_t reduce(WarpOp op, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (op) {
    case WarpOp::add: return a + b;
    case WarpOp::min_signed: return static_cast<std::uint32_t>(std::min(sa, sb));
    case WarpOp::max_signed: return static_cast<std::uint32_t>(std::max(sa, sb));
    case WarpOp::min_unsigned: return std::min(a, b);
    case WarpOp::max_unsigned: return std::max(a, b);
    case WarpOp::bit_and: return a & b;
    case WarpOp::bit_or: return a | b;
    case WarpOp::bit_xor: return a ^ b;
    default: return 0;
  }
}

// The result of one lane; `lanes` are those that take part, `warp` their threads.
std::uint64_t result_of(const Thread& me, const Thread* warp, std::uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  std::uint64_t result = 0;
  switch (me.op) {
    case WarpOp::sync: return 0;
    case WarpOp::shuffle:
      // Undefined in CUDA: all ones here, a NaN as a float and far out of bounds as an index.
      return (lanes >> me.argument & 1) != 0 ? warp[me.argument].value : ~std::uint64_t{0};
    case WarpOp::ballot:
    case WarpOp::match_any:
    case WarpOp::match_all:
      for (unsigned lane = first; lane < kWarp; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        const bool mine = me.op == WarpOp::ballot ? warp[lane].value != 0 : warp[lane].value == me.value;
        if (mine) result |= std::uint64_t{1} << lane;
      }
      return me.op == WarpOp::match_all && result != lanes ? 0 : result;
    default: break;
  }
  auto sum = static_cast<std::uint32_t>(warp[first].value);
  for (unsigned lane = first + 1; lane < kWarp; ++lane)
    if ((lanes >> lane & 1) != 0) sum = reduce(me.op, sum, static_cast<std::uint32_t>(warp[lane].value));
  return sum;
}

// The lowest lane that takes the value of one that its mask names and that is not there; null if none does. Such a lane
// is excused from synchronizing, but it has no value. (A source outside of the mask is undefined, too, and harmless in
// every reduction of a part of a warp, whose upper lanes get results that nobody uses.)
const Thread* reader_of_absent(const Thread* warp, std::uint32_t lanes) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const Thread& me = warp[std::countr_zero(left)];
    if (me.op != WarpOp::shuffle) return nullptr;
    if ((me.mask & ~lanes) >> me.argument & 1) return &me;
  }
  return nullptr;
}

// CUDA requires the same intrinsic in all lanes (__shfl_up_sync does not match __shfl_down_sync). A warp-wide
// instruction must also be at the same place in the source.
bool same_call(const Thread& a, const Thread& b) {
  if (a.op != b.op || (a.call != b.call && std::strcmp(a.call, b.call) != 0)) return false;
  return a.op != WarpOp::warp_wide || (a.site.line() == b.site.line() && a.site.column() == b.site.column());
}

}  // namespace

// If all lanes of the mask that have not returned have arrived, each gets its result and can run again.
bool Block::try_complete(unsigned warp, unsigned mask) {
  Thread* first = &threads_[std::size_t{warp} * kWarp];
  const std::uint32_t lanes = present_[warp] & mask;
  if ((lanes & ~waiting_[warp]) != 0) return false;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1)
    if (first[std::countr_zero(left)].mask != mask) return false;
  waiting_[warp] &= ~lanes;
  if (trace_hooks != nullptr) trace_hooks->lanes_synchronize(*this, warp, lanes);
  // The lanes continue in their order, starting with a random one.
  const unsigned start = random_.below(kWarp);
  if (self_->op == WarpOp::warp_wide && self_->state == State::at_warp) {
    combine(first);
  } else {
    for (unsigned i = 0; i < kWarp; ++i) {
      const unsigned lane = (start + i) % kWarp;
      if ((lanes >> lane & 1) != 0) first[lane].result = result_of(first[lane], first, lanes);
    }
    if (trace_hooks != nullptr && lanes != mask) {
      if (const Thread* reader = reader_of_absent(first, lanes)) trace_hooks->source_absent(*this, *reader);
    }
  }
  for (unsigned i = 0; i < kWarp; ++i) {
    const unsigned lane = (start + i) % kWarp;
    if ((lanes >> lane & 1) == 0) continue;
    first[lane].state = State::ready;
    push(first[lane]);
  }
  // Every other time, at random, ahead of the whole queue: otherwise warps would always advance together, and a block
  // that relies on that would look right.
  if (random_.below(2) == 0) forward(static_cast<unsigned>(std::popcount(lanes)));
  progressed();
  return true;
}

// A lane of the mask that waits for this lane with another mask, or in another collective, never matches: an error. A
// lane that waits for others may still arrive here later.
void Block::check_lanes_match(unsigned warp) {
  const Thread& me = *self_;
  for (std::uint32_t left = waiting_[warp] & me.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Thread& other = threads_[std::size_t{warp} * kWarp + lane];
    if ((other.mask >> me.lane() & 1) == 0) continue;
    if (other.mask != me.mask || !same_call(other, me)) fail(describe_mismatch(me, other));
  }
}

void Block::exchange() {
  Thread& me = *self_;
  const unsigned warp = me.linear / kWarp;
  if ((me.mask >> me.lane() & 1) == 0) fail(describe_lane_not_in_mask(me));
  check_lanes_match(warp);
  me.state = State::at_warp;
  waiting_[warp] |= 1u << me.lane();
  try_complete(warp, me.mask);
  switch_away();
}

// An instruction of all 32 lanes. The first lane to arrive checks that all can; later ones are compared with one lane
// only, since this is called for every mma.
void Block::warp_wide(LaneArguments& mine) {
  Thread& me = *self_;
  const unsigned warp = me.linear / kWarp;
  me.op = WarpOp::warp_wide;
  me.mask = ~0u;
  me.value = reinterpret_cast<std::uintptr_t>(&mine);
  std::uint32_t& arrived = warp_wide_[warp];
  if (arrived == 0) {
    if (present_[warp] != ~0u) fail(describe_missing_lanes(*this, me));
    check_lanes_match(warp);
  } else {
    const Thread& other = threads_[std::size_t{warp} * kWarp + static_cast<unsigned>(std::countr_zero(arrived))];
    if (!same_call(other, me)) fail(describe_mismatch(me, other));
  }
  me.state = State::at_warp;
  waiting_[warp] |= 1u << me.lane();
  arrived |= 1u << me.lane();
  if (arrived == ~0u) {
    arrived = 0;
    try_complete(warp, ~0u);
  }
  switch_away();
}

void Block::combine(Thread* warp) {
  std::array<LaneArguments*, kWarp> arguments;
  for (unsigned lane = 0; lane < kWarp; ++lane) arguments[lane] = reinterpret_cast<LaneArguments*>(warp[lane].value);
  arguments[0]->combine(*this, arguments);
}

}  // namespace cairn::emu
