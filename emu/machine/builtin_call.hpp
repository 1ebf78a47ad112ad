// Where kernel code enters the emulator.
#pragma once

#include "emu/machine/block.hpp"

namespace cairn::emu {

// A built-in of kernels in host code is a mistake in the program, and there is no launch that could fail in its
// place.
[[noreturn, gnu::cold]] void outside_kernel(const char* call, const Site& site);

// The block whose fiber calls, and which is not to be interrupted meanwhile.
class Inside {
 public:
  Inside(const char* call, const Site& site) : block_(Block::current()) {
    if (block_ == nullptr) [[unlikely]]
      outside_kernel(call, site);
    block_->busy(true);
    block_->self().call = call;
    block_->self().site = site;
  }
  ~Inside() { block_->busy(false); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  Block& operator*() const { return *block_; }
  Block* operator->() const { return block_; }

 private:
  Block* block_;
};

}  // namespace cairn::emu
