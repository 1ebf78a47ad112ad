// The machine interface, on every machine this computer has: the same promises for each.
#include "runtime/runtime.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::runtime {
namespace {

class OnEveryMachine : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const Status s = open(GetParam(), machine);
    ASSERT_TRUE(s.ok()) << s.message();
  }
  std::shared_ptr<Machine> machine;
};

TEST_P(OnEveryMachine, FactsAreFilledIn) {
  const Facts& f = machine->facts();
  EXPECT_EQ(f.device, GetParam());
  EXPECT_EQ(f.kind, GetParam() == -1 ? Kind::cpu : GetParam() == -2 ? Kind::emu : Kind::gpu);
  EXPECT_FALSE(f.name.empty());
  EXPECT_GT(f.units, 0);
  EXPECT_GT(f.memory_bytes, 1 << 20);
  if (f.kind != Kind::cpu) {
    EXPECT_GE(f.arch, 75);
    EXPECT_GE(f.shared_bytes, 48 << 10);
  }
}

TEST_P(OnEveryMachine, MemoryIsAlignedAndKeepsWhatIsCopied) {
  std::vector<int> in(1000), out(1000, -1);
  std::iota(in.begin(), in.end(), 7);
  const std::size_t bytes = in.size() * sizeof(int);
  Buffer buffer;
  ASSERT_TRUE(Buffer::make(machine, bytes, buffer).ok());
  EXPECT_EQ(buffer.bytes(), bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0u);
  ASSERT_TRUE(machine->copy_in(buffer.data(), in.data(), bytes, nullptr).ok());
  ASSERT_TRUE(machine->copy_out(out.data(), buffer.data(), bytes, nullptr).ok());
  ASSERT_TRUE(machine->synchronize(nullptr).ok());
  EXPECT_EQ(in, out);
  ASSERT_TRUE(machine->fill(buffer.data(), 0xff, bytes, nullptr).ok());
  ASSERT_TRUE(machine->copy_out(out.data(), buffer.data(), bytes, nullptr).ok());
  ASSERT_TRUE(machine->synchronize(nullptr).ok());
  EXPECT_EQ(out, std::vector<int>(1000, -1));
}

TEST_P(OnEveryMachine, NoBytesAreNoMemoryAndTooManyAreRefused) {
  void* pointer = this;
  ASSERT_TRUE(machine->allocate(0, pointer).ok());
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(machine->allocate(std::size_t{1} << 62, pointer).code(), Code::out_of_memory);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(machine->allocate(static_cast<std::size_t>(-1), pointer).code(), Code::out_of_memory);
  // And the machine goes on working afterwards.
  Buffer buffer;
  EXPECT_TRUE(Buffer::make(machine, 64, buffer).ok());
}

TEST_P(OnEveryMachine, EventsMeasureTimeInOrder) {
  Stream stream = nullptr;
  Event from = nullptr, to = nullptr;
  ASSERT_TRUE(machine->create_stream(stream).ok());
  ASSERT_TRUE(machine->create_event(from).ok());
  ASSERT_TRUE(machine->create_event(to).ok());
  ASSERT_TRUE(machine->record(from, stream).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(machine->record(to, stream).ok());
  double ms = -1;
  ASSERT_TRUE(machine->elapsed(from, to, ms).ok());
  EXPECT_GE(ms, 4.0);
  machine->destroy_event(from);
  machine->destroy_event(to);
  machine->destroy_stream(stream);
}

TEST_P(OnEveryMachine, AGraphReplaysWhatWasRecordedOrIsRefused) {
  Stream stream = nullptr;
  ASSERT_TRUE(machine->create_stream(stream).ok());
  Buffer buffer;
  ASSERT_TRUE(Buffer::make(machine, 64, buffer).ok());
  if (machine->facts().kind != Kind::gpu) {
    EXPECT_EQ(machine->begin_capture(stream).code(), Code::unsupported);
    return;
  }
  Graph graph = nullptr;
  std::vector<unsigned char> out(64);
  ASSERT_TRUE(machine->fill(buffer.data(), 1, 64, stream).ok());
  ASSERT_TRUE(machine->begin_capture(stream).ok());
  ASSERT_TRUE(machine->fill(buffer.data(), 7, 64, stream).ok());
  ASSERT_TRUE(machine->end_capture(stream, graph).ok());
  ASSERT_TRUE(machine->copy_out(out.data(), buffer.data(), 64, stream).ok());
  ASSERT_TRUE(machine->synchronize(stream).ok());
  EXPECT_EQ(out, std::vector<unsigned char>(64, 1)) << "recording must not run";
  ASSERT_TRUE(machine->launch(graph, stream).ok());
  ASSERT_TRUE(machine->copy_out(out.data(), buffer.data(), 64, stream).ok());
  ASSERT_TRUE(machine->synchronize(stream).ok());
  EXPECT_EQ(out, std::vector<unsigned char>(64, 7));
  machine->destroy_graph(graph);
  machine->destroy_stream(stream);
}

TEST_P(OnEveryMachine, BuffersMoveAndFreeOnce) {
  Buffer a, b;
  ASSERT_TRUE(Buffer::make(machine, 128, a).ok());
  void* const where = a.data();
  b = std::move(a);
  EXPECT_EQ(b.data(), where);
  const Buffer c = std::move(b);
  EXPECT_EQ(c.data(), where);
}

std::vector<int> all_devices() {
  std::vector<int> numbers;
  for (const Facts& f : devices()) numbers.push_back(f.device);
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(Devices, OnEveryMachine, ::testing::ValuesIn(all_devices()), [](const auto& test) {
  return test.param == -1 ? "cpu" : test.param == -2 ? "emu" : "gpu" + std::to_string(test.param);
});

TEST(Devices, TheCpuComesFirst) {
  ASSERT_FALSE(devices().empty());
  EXPECT_EQ(devices()[0].kind, Kind::cpu);
}

}  // namespace
}  // namespace cairn::runtime
