// A product recorded in a CUDA graph and replayed gives the bits it gives when it is called. Needs a GPU.
#include <iostream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "lab/random.hpp"
#include "runtime/runtime.hpp"

namespace cairn {
namespace {

std::shared_ptr<runtime::Machine> machine;

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  lab::Random random(seed);
  std::vector<float> all(count);
  for (float& x : all) x = static_cast<float>(random.real());
  return all;
}

class OnGpu {
 public:
  explicit OnGpu(const std::vector<float>& host) : bytes_(host.size() * sizeof(float)) {
    EXPECT_TRUE(runtime::Buffer::make(machine, bytes_, buffer_).ok());
    write(host);
  }
  void write(const std::vector<float>& host) {
    EXPECT_TRUE(machine->copy_in(buffer_.data(), host.data(), bytes_, nullptr).ok());
    EXPECT_TRUE(machine->synchronize(nullptr).ok());
  }
  std::vector<float> read() const {
    std::vector<float> host(bytes_ / sizeof(float));
    EXPECT_TRUE(machine->copy_out(host.data(), buffer_.data(), bytes_, nullptr).ok());
    EXPECT_TRUE(machine->synchronize(nullptr).ok());
    return host;
  }
  void* data() const { return buffer_.data(); }

 private:
  std::size_t bytes_;
  runtime::Buffer buffer_;
};

TEST(Graph, ACapturedProductReplaysWithTheSameBits) {
  constexpr std::int64_t m = 301, n = 203, k = 97;
  const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, m, n, k);
  const auto before = numbers(m * n, 3);
  const OnGpu A(numbers(m * k, 1)), B(numbers(k * n, 2));
  OnGpu C(before);

  Handle handle;
  ASSERT_TRUE(Handle::open(0, handle).ok());
  runtime::Stream stream = nullptr;
  ASSERT_TRUE(machine->create_stream(stream).ok());
  ASSERT_TRUE(handle.set_stream(stream).ok());
  ASSERT_TRUE(gemm(handle, problem, 0.5, A.data(), B.data(), -1, C.data()).ok());
  ASSERT_TRUE(machine->synchronize(stream).ok());
  const auto called = C.read();
  ASSERT_NE(called, before);

  C.write(before);
  runtime::Graph graph = nullptr;
  ASSERT_TRUE(machine->begin_capture(stream).ok());
  ASSERT_TRUE(gemm(handle, problem, 0.5, A.data(), B.data(), -1, C.data()).ok());
  ASSERT_TRUE(machine->end_capture(stream, graph).ok());
  EXPECT_EQ(C.read(), before) << "recording must not run";
  for (int replay = 0; replay < 3; ++replay) {
    C.write(before);
    ASSERT_TRUE(machine->launch(graph, stream).ok());
    ASSERT_TRUE(machine->synchronize(stream).ok());
    EXPECT_EQ(C.read(), called);
  }
  machine->destroy_graph(graph);
  machine->destroy_stream(stream);
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const auto s = cairn::runtime::open(0, cairn::machine); !s.ok()) {
    std::cout << "skipped: " << s.message() << '\n';
    return 77;
  }
  const int result = RUN_ALL_TESTS();
  cairn::machine.reset();
  return result;
}
