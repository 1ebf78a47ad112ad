// A contender is anything that can run a Problem: the library's own pick, a CPU backend, a rung with a tile,
// a vendor's BLAS. Verification and measurement know nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/scalars.hpp"
#include "runtime/runtime.hpp"
#include "src/call.hpp"

namespace cairn::lab {

enum class Work : std::uint8_t {
  product,  // C = alpha op(A) op(B) + beta C
  move,     // C = op(A), as a problem with k = n: transposes, copies
  probe     // measures a ceiling of the hardware: timed, never verified
};

class Contender {
 public:
  virtual ~Contender() = default;
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  virtual std::string_view id() const = 0;     // "cpu/openblas": what the command line calls it
  virtual std::string_view title() const = 0;  // one line for people
  // A rung's tile in words. The tile's number in id() may change when the rung gets more tiles; this does not.
  virtual std::string tile() const { return ""; }
  virtual Work work() const { return Work::product; }
  // Another library's code. Ratios are to the strongest (fastest) baseline of a problem.
  virtual bool is_baseline() const { return false; }
  // The problem it runs for `asked`: the same, except for contenders that copy or transpose.
  virtual Problem suited(const Problem& asked) const { return asked; }
  // In bytes: leading dimensions of A and B must be multiples of the first, their addresses of the second, and those of
  // a bias and of values before an activation of the third.
  struct Grid {
    int rows = 1, pointers = 1, epilogue = 1;
  };
  virtual Grid grid() const { return {}; }
  // Why it cannot take this problem; empty if it can.
  virtual std::string refuses(const Problem& problem) const = 0;
  // Why it cannot take these alpha and beta for a problem that it takes; empty if it can.
  virtual std::string refuses_scalars(const Problem& /*problem*/, const Scalars& /*scalars*/) const { return ""; }
  // By how much more than ours its activations may be off, relative to their argument.
  virtual double activation_error(const Problem& /*problem*/) const { return 0; }
  // Does what is not timed, such as planning and allocating scratch memory. Called before run() for each problem.
  virtual Status prepare(const Problem& problem) = 0;
  // Enqueues the product on the contender's machine; pointers are that machine's.
  virtual Status run(const Call& call, runtime::Stream stream) = 0;
  // After prepare(): what exactly will run ("algorithm 67, tile 128x256"), for the record; may be empty.
  virtual std::string details() const { return ""; }
  // After a run() that has ended: how it was computed, where the data decide that; else empty.
  virtual std::string took() { return ""; }
  virtual const std::shared_ptr<runtime::Machine>& machine() const = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

// Every contender of a device, in the order the tables show them: references, backends, the library's pick. A rung
// stands there with its default tile, and with its others too if one of `patterns` asks for tiles.
Status contenders(int device, Contenders& out, const std::vector<std::string>& patterns = {});

// Whether select() would find something by this pattern.
bool names_any(const std::string& pattern, const Contenders& all);

// Keeps those whose id one of the patterns names: a glob ("cpu/*") or a prefix that only one id has
// ("cpu/o"); with "@1" behind it that tile of a rung, with "@*" all of them. No patterns keep all. A pattern that
// names nothing is an error with the nearest ids, and a prefix of several one that lists them.
Status select(const std::vector<std::string>& patterns, Contenders& all);

}  // namespace cairn::lab
