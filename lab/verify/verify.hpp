// Verification: draws cases, runs a contender on them inside guarded memory, and judges every element.
//
//   case      what is multiplied: problem, alpha, beta, kind of data, where the pointers stand; from one seed
//   data      the numbers of a case, and the guarded buffers they lie in
//   oracle    what C must be
//   bound     how far a correct result may be from it
//   judge     the verdict on what a contender left in memory
//   verify    this file: all of them together, for one case and for many
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/contender.hpp"
#include "lab/verify/case.hpp"
#include "lab/verify/healthy.hpp"
#include "lab/verify/judge.hpp"

namespace cairn::lab::verify {

// The case with A and B aligned as the contender needs them.
Case on_the_grid(const Case& test, const Contender& contender);

// One case for any number of contenders on one machine that do the same work: its data are made and placed, and
// what C must be is worked out, once. Both take longer than to multiply where products are large.
class Trial {
 public:
  Trial(std::shared_ptr<runtime::Machine> machine, const Case& test, Work work);
  ~Trial();
  Trial(Trial&&) noexcept;

  // Runs it. A contender that refuses the problem gives an Outcome::refused, which is neither good nor bad; a Status
  // that is not ok from a problem it accepted is a failure.
  Verdict of(Contender& contender);

 private:
  class Placed;
  Verdict run(Contender& contender);

  std::shared_ptr<runtime::Machine> machine_;
  Case test_;
  Work work_;
  std::unique_ptr<Placed> placed_;  // from the first contender on that takes the problem
};

// The same for one.
Verdict check(Contender& contender, const Case& test);

struct Failure {
  Case test;
  std::string what;
  std::string flags;  // of the space that it was drawn from
};

// What a run covered, so that "all passed" can be weighed.
struct Tally {
  std::int64_t cases = 0, passed = 0, refused = 0, failed = 0;
  std::int64_t exact = 0, rounding = 0, special = 0;  // by kind of data, refused ones left out, as below
  std::int64_t edges = 0;                             // a size that is no multiple of 32
  std::int64_t padded = 0;                            // an ld above its minimum
  std::int64_t offset = 0;                            // a pointer not aligned to 16 bytes
  std::int64_t nan_in_c = 0;                          // beta = 0 over a C full of NaN
  std::int64_t k_zero = 0, empty = 0, batched = 0, aliased = 0;
  std::int64_t skipped = 0;            // of a suite: too long to run here, and none of `cases`
  double worst_ratio = 0;              // largest error / bound seen in rounding mode
  double worst_rigorous = 0;           // largest error / rigorous worst-case bound
  std::map<RatioKind, Ratios> ratios;  // the same, by kind and size of k; native and split only
  std::map<std::string, std::int64_t>
      took;                       // cases by how they were computed, where the data decide: Contender::took()
  std::vector<Failure> failures;  // the first few

  void add(const Case& test, const Verdict& verdict, const std::string& flags = {});
};

// The part of a space that a contender takes, so that cases are not wasted on refusals: a rung for one layout is
// drawn that layout. All of the space if it takes none of it, so that the refusals show.
Space taken_by(const Contender& contender, const Space& space);

// The case of a seed for a contender: drawn from what it takes, and for one that moves matrices, a move.
Case case_for(const Contender& contender, std::uint64_t seed, const Space& taken);

// Cases 0 … count-1 of a seed. `progress` is called after each case and may stop the run by returning false.
Tally fuzz(Contender& contender, const Space& space, std::int64_t count, std::uint64_t seed,
           const std::function<bool(const Tally&)>& progress = {});
// The same for a suite, whose lines are a space each: `count` cases of every one.
Tally fuzz_each(Contender& contender, const std::vector<Space>& spaces, std::int64_t count, std::uint64_t seed,
                const std::function<bool(const Tally&)>& progress = {});

// The command that runs one case again; a case is drawn from its seed and the space, so both are named: the space by its
// flags.
std::string replay_command(std::string_view contender, const Case& test, std::string_view device,
                           std::string_view flags);

}  // namespace cairn::lab::verify
