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

// An operand's pieces, and what to add to them; ends the launch if they are not in shared memory.
struct Found {
  std::vector<unsigned> pieces;
  const std::byte* base;
};
Found find_operand(Block& block, const GroupProduct& product, bool is_a) {
  const GroupMultiply& what = *product.what;
  const Descriptor descriptor(is_a ? product.a : product.b, is_a ? what.a_along_rows : what.b_along_rows);
  Found found;
  found.pieces = descriptor.pieces(is_a ? kGroupRows : static_cast<unsigned>(what.kind.shape.n));
  const auto [low, high] = std::minmax_element(found.pieces.begin(), found.pieces.end());
  const unsigned first = *low, end = *high + kPieceBytes;
  found.base = block.window().base(first, end);
  if (found.base == nullptr) [[unlikely]] {
    found.pieces = {};
    block.fail(describe_operand_outside(product.site, is_a, first, end));
  }
  return found;
}

// Neighbouring pieces are told as one.
template <class Tell> void tell_ranges(Found& found, Tell tell) {
  std::sort(found.pieces.begin(), found.pieces.end());
  for (std::size_t i = 0; i < found.pieces.size();) {
    std::size_t end = i + 1;
    while (end < found.pieces.size() && found.pieces[end] == found.pieces[end - 1] + kPieceBytes) ++end;
    tell(found.base + found.pieces[i], (end - i) * kPieceBytes);
    i = end;
  }
}

}  // namespace

void GroupProducts::reset() {
  products_.clear();
  at_work_.clear();
  done_.clear();
  group_ = 0;
  fenced_ = false;
}

// All threads have passed the same waits, so what is at work for the first is for all.
std::unique_ptr<GroupProduct> GroupProducts::begin(unsigned thread, const GroupMultiply& what, const GroupTiles& mine,
                                                   Site site) {
  auto product = std::make_unique<GroupProduct>(
      GroupProduct{&what, mine.a, mine.b, mine.add, mine.registers != nullptr, site, 0, nullptr, {}});
  for (const auto& sums : at_work_) {
    if (sums->where[thread] == mine.sums) product->sums = sums;
  }
  if (product->sums == nullptr) {
    product->sums = std::make_shared<GroupSums>();
    product->sums->n = static_cast<unsigned>(what.kind.shape.n);
    product->sums->values.resize(std::size_t{kGroupRows} * product->sums->n);
    at_work_.push_back(product->sums);
  }
  ++product->sums->products;
  return product;
}

void GroupProducts::join(Block& block, unsigned thread, GroupProduct& product, const GroupTiles& mine) {
  GroupSums& sums = *product.sums;
  const auto n = static_cast<unsigned>(product.what->kind.shape.n);
  product.registers[thread] = mine.registers;
  if (sums.where[thread] == mine.sums && sums.n == n) return;
  if (sums.where[thread] != nullptr) [[unlikely]]
    block.fail(describe_other_sums(block.self()));
  sums.where[thread] = mine.sums;
  if (product.add) for_each_accumulator(sums.values.data(), n, thread, mine.sums);
  std::memset(mine.sums, kPoison & 0xff, n / 2 * sizeof(float));
}

void GroupProducts::fence() {
  fenced_ = true;
  done_.clear();
}

void GroupProducts::issued(Block& block, std::unique_ptr<GroupProduct> product) {
  const bool again = std::find(done_.begin(), done_.end(), product->sums->where[0]) != done_.end();
  if (!fenced_ || (again && product->sums->products == 1)) [[unlikely]]
    block.fail(describe_no_fence(product->site, fenced_));
  product->group = group_;
  products_.push_back(std::move(product));
  const GroupProduct& last = *products_.back();
  Found a, b = find_operand(block, last, false);
  if (!last.in_registers) a = find_operand(block, last, true);
  if (trace_hooks == nullptr) return;
  trace_hooks->multiplied({last.what->kind}, last.site);
  const auto tell = [&](const void* start, std::size_t bytes) {
    trace_hooks->operand_issued(start, bytes, last.site);
  };
  tell_ranges(a, tell);
  tell_ranges(b, tell);
}

void GroupProducts::multiply(Block& block, const GroupProduct& product) {
  const fragment::Kind& kind = product.what->kind;
  Found a, b = find_operand(block, product, false);
  read_operand(b_, kind.type, product.what->b_along_rows, static_cast<unsigned>(kind.shape.n), b.pieces, b.base);
  if (product.in_registers) {
    read_registers(a_, kind, product.registers.data());
  } else {
    a = find_operand(block, product, true);
    read_operand(a_, kind.type, product.what->a_along_rows, kGroupRows, a.pieces, a.base);
  }
  multiply_group(product.sums->values.data(), kind, a_, b_, product.add, faithful_tensor());
  if (trace_hooks == nullptr) return;
  const auto tell = [&](const void* start, std::size_t bytes) {
    trace_hooks->operand_read(start, bytes, product.site);
  };
  tell_ranges(a, tell);
  tell_ranges(b, tell);
}

// The last product on these sums is done: they are the threads' again.
void GroupProducts::hand_back(Block& block, const GroupProduct& product) {
  const GroupSums& sums = *product.sums;
  for (unsigned thread = 0; thread < kGroup; ++thread) {
    float* to = sums.where[thread];
    std::uint32_t all = kPoison;
    for (unsigned i = 0; i < sums.n / 2; ++i) all &= std::bit_cast<std::uint32_t>(to[i]);
    if (all != kPoison) [[unlikely]]
      block.fail(describe_sums_written(product.site, block.self().linear / kGroup * kGroup + thread));
    take_sums(sums.values.data(), sums.n, thread, to);
  }
  done_.push_back(sums.where[0]);
  std::erase(at_work_, product.sums);
}

void GroupProducts::wait(Block& block, unsigned left) {
  const std::uint64_t before = group_ > left ? group_ - left : 0;
  while (!products_.empty() && products_.front()->group < before) {
    const GroupProduct& product = *products_.front();
    multiply(block, product);
    if (--product.sums->products == 0) hand_back(block, product);
    products_.pop_front();
  }
  if (trace_hooks != nullptr) trace_hooks->group_meets(block);
}

}  // namespace cairn::emu
