// The matrices a contender is timed on. The second run on one set of A, B and C would find it in the cache; a ring of
// sets, used one after the other, is larger than the cache, so that every run reads cold memory as a first call does.
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

// The number of sets of `bytes_a_set` in a cold ring: one, and others of twice `cache_bytes`. If the size of the
// cache is unknown (0), a large one is assumed. At most kMostSets.
inline constexpr std::int64_t kMostSets = 4096;
std::int64_t sets_needed(double bytes_a_set, std::int64_t cache_bytes);

class Ring {
 public:
  // A, B, a bias and scales uniform in [-1, 1], each from its own seed; C all NaN, or like them if beta is not 0. A move
  // does not touch B, so B does not count for the number of sets. Throws Error if memory does not suffice.
  Ring(std::shared_ptr<runtime::Machine> machine, const Problem& problem, std::uint64_t seed, Cache cache,
       Work work = Work::product, const Scalars& scalars = {});

  std::int64_t sets() const { return static_cast<std::int64_t>(sets_.size()); }
  // The call on set i mod sets().
  Call call(std::int64_t i) const;
  // Every C as it was at first: NaN, where it is not read.
  void reset();
  // What the sets were filled with, and the C of set i as it is now.
  const std::vector<std::byte>& host_a() const { return host_a_; }
  const std::vector<std::byte>& host_b() const { return host_b_; }
  const std::vector<std::byte>& host_c() const { return host_c_; }        // empty if beta is 0
  const std::vector<std::byte>& host_bias() const { return host_bias_; }  // empty if there is none
  const std::vector<std::byte>& host_scale_a() const { return host_scale_a_; }
  const std::vector<std::byte>& host_scale_b() const { return host_scale_b_; }
  const std::int32_t* host_ends() const { return reinterpret_cast<const std::int32_t*>(host_ends_.data()); }
  std::vector<std::byte> read_c(std::int64_t i) const;
  const Problem& problem() const { return problem_; }
  const Scalars& scalars() const { return scalars_; }
  const std::shared_ptr<runtime::Machine>& machine() const { return machine_; }

 private:
  struct Set {
    runtime::Buffer A, B, C, bias, before, scale_a, scale_b;
  };
  std::shared_ptr<runtime::Machine> machine_;
  Problem problem_;
  Scalars scalars_;
  std::vector<std::byte> host_a_, host_b_, host_c_, host_bias_, host_scale_a_, host_scale_b_, host_ends_;
  std::vector<Set> sets_;
  runtime::Buffer ends_;  // one for all sets: who loops over groups reads it once
};

}  // namespace cairn::lab::measure
