// The matrices a contender is timed on. One set of A, B and C would be found in the cache by the second run; a ring
// of sets, walked one after the other, holds more than the cache does, so that every run meets cold memory as a
// first call does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lab/contender.hpp"
#include "runtime/runtime.hpp"
#include "src/call.hpp"

namespace cairn::lab::measure {

enum class Cache : std::uint8_t {
  cold,  // between two uses of a set, others of at least twice the last-level cache are touched
  hot    // one set, used over and over
};

// Elements from the first to one past the last, all batches included.
std::int64_t extent(const Stored& matrix, std::int64_t batch, std::int64_t stride);

// How many sets of `bytes_a_set` make a cold ring: one, and others of twice `cache_bytes`. A machine that does not
// say how large its cache is (0) is taken to have a large one. At most kMostSets.
inline constexpr std::int64_t kMostSets = 4096;
std::int64_t sets_needed(double bytes_a_set, std::int64_t cache_bytes);

class Ring {
 public:
  // A and B uniform in [-1, 1] from seeds of their own, C all NaN. alpha is 1 and beta 0. What only moves A does not
  // touch B, so B does not count for how many sets there are. Throws Error where memory does not suffice.
  Ring(std::shared_ptr<runtime::Machine> machine, const Problem& problem, std::uint64_t seed, Cache cache,
       Work work = Work::product);

  std::int64_t sets() const { return static_cast<std::int64_t>(sets_.size()); }
  // The call on set i mod sets().
  Call call(std::int64_t i) const;
  // Fills every C with NaN again.
  void poison();
  // What the sets were filled with, and the C of set i as it is now.
  const std::vector<std::byte>& host_a() const { return host_a_; }
  const std::vector<std::byte>& host_b() const { return host_b_; }
  std::vector<std::byte> read_c(std::int64_t i) const;
  const Problem& problem() const { return problem_; }
  const std::shared_ptr<runtime::Machine>& machine() const { return machine_; }

 private:
  struct Set {
    runtime::Buffer A, B, C;
  };
  std::shared_ptr<runtime::Machine> machine_;
  Problem problem_;
  std::vector<std::byte> host_a_, host_b_;
  std::vector<Set> sets_;
};

}  // namespace cairn::lab::measure
