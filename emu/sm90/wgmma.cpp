#include "emu/sm90/wgmma.hpp"

#include <algorithm>
#include <cstring>

#include "emu/machine/block.hpp"
#include "emu/machine/settings.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/warpgroup_report.hpp"

namespace cairn::emu {

namespace {

constexpr std::uint32_t kPoison = ~0u;  // a NaN

// The 16-byte chunks of an operand, relative to `base`; fails if they are not in shared memory.
struct Found {
  std::vector<unsigned> chunks;
  const std::byte* base;
};
Found find_operand(Block& block, const Wgmma& product, bool is_a) {
  const WgmmaShape& what = *product.what;
  const MatrixDescriptor descriptor(is_a ? product.a : product.b, is_a ? what.a_mn_major : what.b_mn_major);
  Found found;
  found.chunks = descriptor.chunks(is_a ? kWgmmaRows : static_cast<unsigned>(what.kind.shape.n));
  const auto [low, high] = std::minmax_element(found.chunks.begin(), found.chunks.end());
  const unsigned first = *low, end = *high + kChunkBytes;
  found.base = block.window().base(first, end);
  if (found.base == nullptr) [[unlikely]] {
    found.chunks = {};
    block.fail(describe_operand_outside(product.site, is_a, first, end));
  }
  return found;
}

// Adjacent chunks are reported as one range.
template <class Tell> void tell_ranges(Found& found, Tell tell) {
  std::sort(found.chunks.begin(), found.chunks.end());
  for (std::size_t i = 0; i < found.chunks.size();) {
    std::size_t end = i + 1;
    while (end < found.chunks.size() && found.chunks[end] == found.chunks[end - 1] + kChunkBytes) ++end;
    tell(found.base + found.chunks[i], (end - i) * kChunkBytes);
    i = end;
  }
}

}  // namespace

void WgmmaQueue::reset() {
  products_.clear();
  in_flight_.clear();
  written_back_.clear();
  group_ = 0;
  fenced_ = false;
}

// All threads have passed the same waits, so accumulators in flight for the first thread are so for all.
std::unique_ptr<Wgmma> WgmmaQueue::begin(unsigned thread, const WgmmaShape& what, const WgmmaOperands& mine,
                                         Site site) {
  auto product = std::make_unique<Wgmma>(
      Wgmma{&what, mine.a, mine.b, mine.add, mine.registers != nullptr, site, 0, nullptr, {}});
  for (const auto& accumulators : in_flight_) {
    if (accumulators->registers_of[thread] == mine.accumulators) product->accumulators = accumulators;
  }
  if (product->accumulators == nullptr) {
    product->accumulators = std::make_shared<WgmmaAccumulators>();
    product->accumulators->n = static_cast<unsigned>(what.kind.shape.n);
    product->accumulators->values.resize(std::size_t{kWgmmaRows} * product->accumulators->n);
    in_flight_.push_back(product->accumulators);
  }
  ++product->accumulators->products;
  return product;
}

void WgmmaQueue::join(Block& block, unsigned thread, Wgmma& product, const WgmmaOperands& mine) {
  WgmmaAccumulators& accumulators = *product.accumulators;
  const auto n = static_cast<unsigned>(product.what->kind.shape.n);
  product.registers[thread] = mine.registers;
  if (accumulators.registers_of[thread] == mine.accumulators && accumulators.n == n) return;
  if (accumulators.registers_of[thread] != nullptr) [[unlikely]]
    block.fail(describe_other_accumulators(block.self()));
  accumulators.registers_of[thread] = mine.accumulators;
  if (product.add) put_accumulators(accumulators.values.data(), n, thread, mine.accumulators);
  std::memset(mine.accumulators, kPoison & 0xff, n / 2 * sizeof(float));
}

void WgmmaQueue::fence() {
  fenced_ = true;
  written_back_.clear();
}

void WgmmaQueue::issued(Block& block, std::unique_ptr<Wgmma> product) {
  const bool again = std::find(written_back_.begin(), written_back_.end(), product->accumulators->registers_of[0]) !=
                     written_back_.end();
  if (!fenced_ || (again && product->accumulators->products == 1)) [[unlikely]]
    block.fail(describe_no_fence(product->site, fenced_));
  product->group = group_;
  products_.push_back(std::move(product));
  const Wgmma& last = *products_.back();
  Found a, b = find_operand(block, last, false);
  if (!last.in_registers) a = find_operand(block, last, true);
  if (trace_hooks == nullptr) return;
  trace_hooks->mma_executed({last.what->kind}, last.site);
  const auto tell = [&](const void* start, std::size_t bytes) {
    trace_hooks->operand_issued(start, bytes, last.site);
  };
  tell_ranges(a, tell);
  tell_ranges(b, tell);
}

void WgmmaQueue::multiply(Block& block, const Wgmma& product) {
  const fragment::Kind& kind = product.what->kind;
  Found a, b = find_operand(block, product, false);
  read_operand(b_, kind.type, product.what->b_mn_major, static_cast<unsigned>(kind.shape.n), b.chunks, b.base);
  if (product.in_registers) {
    read_registers(a_, kind, product.registers.data());
  } else {
    a = find_operand(block, product, true);
    read_operand(a_, kind.type, product.what->a_mn_major, kWgmmaRows, a.chunks, a.base);
  }
  multiply_warpgroup(product.accumulators->values.data(), kind, a_, b_, product.add, faithful_tensor());
  if (trace_hooks == nullptr) return;
  const auto tell = [&](const void* start, std::size_t bytes) {
    trace_hooks->operand_read(start, bytes, product.site);
  };
  tell_ranges(a, tell);
  tell_ranges(b, tell);
}

// The last instruction on these accumulators is done: writes them to the threads' registers.
void WgmmaQueue::write_back(Block& block, const Wgmma& product) {
  const WgmmaAccumulators& accumulators = *product.accumulators;
  for (unsigned thread = 0; thread < kWarpgroup; ++thread) {
    float* to = accumulators.registers_of[thread];
    std::uint32_t all = kPoison;
    for (unsigned i = 0; i < accumulators.n / 2; ++i) all &= std::bit_cast<std::uint32_t>(to[i]);
    if (all != kPoison) [[unlikely]]
      block.fail(describe_accumulators_written(product.site, block.self().linear / kWarpgroup * kWarpgroup + thread));
    get_accumulators(accumulators.values.data(), accumulators.n, thread, to);
  }
  written_back_.push_back(accumulators.registers_of[0]);
  std::erase(in_flight_, product.accumulators);
}

void WgmmaQueue::wait(Block& block, unsigned left) {
  const std::uint64_t before = group_ > left ? group_ - left : 0;
  while (!products_.empty() && products_.front()->group < before) {
    const Wgmma& product = *products_.front();
    multiply(block, product);
    if (--product.accumulators->products == 0) write_back(block, product);
    products_.pop_front();
  }
  if (trace_hooks != nullptr) trace_hooks->warpgroup_synchronizes(block);
}

}  // namespace cairn::emu
