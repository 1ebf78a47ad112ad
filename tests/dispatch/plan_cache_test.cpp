// The cache of plans in a handle.
#include "src/dispatch/plan_cache.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace cairn::dispatch {
namespace {

std::shared_ptr<const Plan::Impl> plan_of(const Problem& p) {
  auto plan = std::make_shared<Plan::Impl>();
  plan->asked = p;
  return plan;
}
Problem sized(std::int64_t m) { return Problem::packed(Type::f32, Op::none, Op::none, m, 3, 5); }

TEST(PlanCache, FindsWhatWasAdded) {
  PlanCache cache;
  EXPECT_EQ(cache.find(sized(1)), nullptr);
  std::vector<std::shared_ptr<const Plan::Impl>> plans;
  for (std::int64_t m = 0; m < 40; ++m) cache.add(plans.emplace_back(plan_of(sized(m))));
  for (std::int64_t m = 40; m-- > 0;) {
    ASSERT_NE(cache.find(sized(m)), nullptr) << m;
    EXPECT_EQ(cache.find(sized(m))->plan, plans[static_cast<std::size_t>(m)]);
  }
}

// Problems that differ in any one field have different plans.
TEST(PlanCache, TellsProblemsApartByEveryField) {
  const Problem p = Problem::packed(Type::f16, Op::none, Op::none, 8, 8, 8, Order::row, 2);
  std::vector<Problem> others(17, p);
  others[0].in = Type::bf16, others[1].out = Type::f32, others[2].compute = Compute::tf32;
  others[3].order = Order::column, others[4].op_a = Op::transpose, others[5].op_b = Op::transpose;
  std::int64_t Problem::*const sizes[] = {&Problem::m,        &Problem::n,       &Problem::k,     &Problem::lda,
                                          &Problem::ldb,      &Problem::ldc,     &Problem::batch, &Problem::stride_a,
                                          &Problem::stride_b, &Problem::stride_c};
  for (std::size_t i = 0; i < std::size(sizes); ++i) others[6 + i].*sizes[i] += 1;
  others[16].invariant = Invariant::rows;
  PlanCache cache;
  cache.add(plan_of(p));
  for (const Problem& other : others) EXPECT_EQ(cache.find(other), nullptr) << other.full();
  EXPECT_NE(cache.find(p), nullptr);
}

TEST(PlanCache, KeepsNoMoreThanItsSize) {
  PlanCache cache;
  constexpr std::int64_t many = 4 * PlanCache::kSets * PlanCache::kWays;
  std::vector<std::weak_ptr<const Plan::Impl>> all;
  for (std::int64_t m = 0; m < many; ++m) {
    auto plan = plan_of(sized(m));
    all.push_back(plan);
    EXPECT_EQ(cache.add(plan).plan, plan);
    ASSERT_NE(cache.find(sized(m)), nullptr) << "the newest is there";
  }
  std::size_t kept = 0;
  for (std::int64_t m = 0; m < many; ++m) {
    const bool there = cache.find(sized(m)) != nullptr;
    EXPECT_EQ(there, !all[static_cast<std::size_t>(m)].expired()) << "what is not found is gone";
    kept += there;
  }
  EXPECT_LE(kept, PlanCache::kSets * PlanCache::kWays);
  EXPECT_GE(kept, PlanCache::kSets * PlanCache::kWays / 2) << "the hash spreads them";
}

// A launch cache belongs to its plan: a new one begins empty.
TEST(PlanCache, AnEntryBeginsWithNothingCached) {
  PlanCache cache;
  PlanCache::Entry& entry = cache.add(plan_of(sized(1)));
  int x = 0, y = 0;
  EXPECT_FALSE(entry.launch.made_for(1, &x, &y, &x));
  EXPECT_TRUE(entry.launch.made_for(1, &x, &y, &x));
  EXPECT_FALSE(entry.launch.made_for(1, &y, &y, &x));
  EXPECT_FALSE(entry.launch.made_for(1, &y, &y, nullptr));
  EXPECT_FALSE(entry.launch.made_for(2, &y, &y, nullptr)) << "another tile has other boxes";
  EXPECT_FALSE(cache.add(plan_of(sized(2))).launch.filled);
}

}  // namespace
}  // namespace cairn::dispatch
