// The scope of a call from kernel code into the emulator.
#pragma once

#include "emu/machine/block.hpp"

namespace cairn::emu {

// A device built-in was called by host code. There is no launch that could fail, so this ends the program.
[[noreturn, gnu::cold]] void outside_kernel(const char* call, const Site& site);

// While one of these exists the preemption timer does not interrupt the block, and reports name this call and site as
// what the thread is doing. It dereferences to the calling thread's block.
class BuiltinCall {
 public:
  BuiltinCall(const char* call, const Site& site) : block_(Block::current()) {
    if (block_ == nullptr) [[unlikely]]
      outside_kernel(call, site);
    block_->busy(true);
    block_->self().call = call;
    block_->self().site = site;
  }
  ~BuiltinCall() { block_->busy(false); }
  BuiltinCall(const BuiltinCall&) = delete;
  BuiltinCall& operator=(const BuiltinCall&) = delete;

  Block& operator*() const { return *block_; }
  Block* operator->() const { return block_; }

 private:
  Block* block_;
};

}  // namespace cairn::emu
