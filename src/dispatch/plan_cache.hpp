// A handle's plans by problem, and by who asks for f32 as split, so that calling gemm() in a loop plans once. A 4-way set-associative cache of 256
// entries: a new plan replaces the oldest of its set. Not thread-safe, as a handle is not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/dispatch/plan.hpp"

namespace cairn::dispatch {

class PlanCache {
 public:
  struct Entry {
    std::shared_ptr<const Plan::Impl> plan;
    LaunchCache launch;
  };
  static constexpr std::size_t kSets = 64, kWays = 4;

  // Null if there is none. The pointer is valid until the next add().
  Entry* find(const Problem& problem, SplitBy split_by = SplitBy::nobody) {
    const auto is_it = [&](const Entry* entry) {
      return entry != nullptr && entry->plan->asked == problem && entry->plan->split_by == split_by;
    };
    if (is_it(last_)) return last_;
    for (const auto& entry : sets_[hash(problem) % kSets].entries)
      if (is_it(entry.get())) return last_ = entry.get();
    return nullptr;
  }
  Entry& add(std::shared_ptr<const Plan::Impl> plan) {
    auto entry = std::make_unique<Entry>();
    entry->plan = std::move(plan);
    Set& set = sets_[hash(entry->plan->asked) % kSets];
    last_ = entry.get();
    set.entries[set.oldest++ % kWays] = std::move(entry);
    return *last_;
  }

 private:
  struct Set {
    std::array<std::unique_ptr<Entry>, kWays> entries;
    unsigned oldest = 0;
  };

  static std::uint64_t hash(const Problem& p) {
    std::uint64_t h = static_cast<std::uint64_t>(p.in) | static_cast<std::uint64_t>(p.out) << 8 |
                      static_cast<std::uint64_t>(p.compute) << 16 | static_cast<std::uint64_t>(p.order) << 24 |
                      static_cast<std::uint64_t>(p.op_a) << 32 | static_cast<std::uint64_t>(p.op_b) << 40 |
                      static_cast<std::uint64_t>(p.invariant) << 48;
    for (const std::int64_t size :
         {p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.batch, p.stride_a, p.stride_b, p.stride_c}) {
      constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
      h = (h ^ static_cast<std::uint64_t>(size)) * kGolden;
      h ^= h >> 32;
    }
    return h;
  }

  std::array<Set, kSets> sets_;
  Entry* last_ = nullptr;
};

}  // namespace cairn::dispatch
