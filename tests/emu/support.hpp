// Shared by the emulator's tests. Only CUDA's API is used here: the tests that say nothing of the emulator itself
// can be compiled by nvcc too, and then tell whether the hardware agrees with them.
#pragma once

#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "device/launch.hpp"

namespace cairn::emu_test {

// An array on the device.
template <class T> class Array {
 public:
  explicit Array(std::size_t size) : Array(std::vector<T>(size)) {}
  explicit Array(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~Array() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t size_;
  T* data_ = nullptr;
};

// Launches, waits, and wants it to go well.
template <class... P, class... A>
void run(Grid grid, dim3 block, std::size_t shared, void (*kernel)(P...), const A&... arguments) {
  const Status status = launch(grid, block, shared, nullptr, kernel, arguments...);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// The same values on every machine.
class Values {
 public:
  explicit Values(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_;
};

}  // namespace cairn::emu_test
