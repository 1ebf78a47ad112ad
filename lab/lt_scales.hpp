// Scales of 128 in the order that cuBLASLt wants. Ours has the scales of a row or column next to each other; cuBLASLt
// has those of a block of k next to each other where each row has its own, and lines of whole fours where blocks have.
// Whoever quantizes for cuBLASLt writes that order to begin with, so rearranging is not timed: it happens when a call
// with these pointers is first seen, before calls are timed, and by way of the host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/runtime.hpp"
#include "src/call.hpp"

namespace cairn::lab {

// Index of the scale of line `line` and block `block` of k, for an operand of `lines` rows or columns with `blocks`
// along k, and how many floats there are. Lines are rows of A or columns of B, or 128 of them (Scale::blocks).
std::int64_t lt_scale_index(Scale scale, std::int64_t lines, std::int64_t blocks, std::int64_t line,
                            std::int64_t block);
std::int64_t lt_scale_elements(Scale scale, std::int64_t lines, std::int64_t blocks);

class LtScales {
 public:
  explicit LtScales(std::shared_ptr<runtime::Machine> machine) : machine_(std::move(machine)) {}

  // `call`, with pointers to copies of its scales of 128; other scales stay where they are.
  Status arrange(const Call& call, Call& arranged);
  // What lies at known addresses may have changed.
  void forget() { copies_.clear(); }

 private:
  Status arrange(Scale scale, std::int64_t lines, std::int64_t k, const void*& scales);

  std::shared_ptr<runtime::Machine> machine_;
  std::map<const void*, runtime::Buffer> copies_;
};

}  // namespace cairn::lab
