// Memory for a matrix that no 32-bit index can walk.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "runtime/runtime.hpp"

namespace cairn::lab::verify {

// A 2 x 2 matrix whose rows lie 16 GB apart, so that the second is out of reach of a 32-bit index. On the emulator it
// is memory of the host that is promised and, but for two pages, never used.
class FarMatrix {
 public:
  static constexpr std::int64_t kLd = (std::int64_t{1} << 32) + 1;

  explicit FarMatrix(std::shared_ptr<runtime::Machine> machine) : machine_(std::move(machine)) {}

  // Is there room for it?
  bool open() {
    if (machine_->facts().kind != runtime::Kind::emu) return runtime::Buffer::make(machine_, kBytes, buffer_).ok();
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    mapped_.reset(memory);
    return true;
  }
  float* data() const { return static_cast<float*>(mapped_ ? mapped_.get() : buffer_.data()); }

  // Element (row, col) of the matrix, or of its transpose.
  float* at(Op op, int row, int col) const { return data() + (op == Op::none ? row * kLd + col : col * kLd + row); }
  void put(Op op, int row, int col, float value) {
    if (mapped_)
      *at(op, row, col) = value;
    else
      EXPECT_TRUE(machine_->copy_in(at(op, row, col), &value, sizeof value, nullptr).ok());
  }
  float get(int row, int col) const {
    float value = 0;
    if (mapped_)
      value = *at(Op::none, row, col);
    else
      EXPECT_TRUE(machine_->copy_out(&value, at(Op::none, row, col), sizeof value, nullptr).ok());
    return value;
  }

 private:
  static constexpr std::size_t kBytes = sizeof(float) * (kLd + 2);
  struct Unmap {
    void operator()(void* memory) const { munmap(memory, kBytes); }
  };
  std::shared_ptr<runtime::Machine> machine_;
  std::unique_ptr<void, Unmap> mapped_;
  runtime::Buffer buffer_;
};

}  // namespace cairn::lab::verify
