// fork() while the emulator is in use. A child has the memory of its parent and only one of its threads: a lock that
// another thread held stays locked in it.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"
#include "tests/in_child.hpp"

namespace cairn {
namespace {

// The emulator with the matrices of one product on it.
struct Emulated {
  std::shared_ptr<runtime::Machine> machine;
  Handle handle;
  Problem problem;
  runtime::Buffer a, b, c;

  explicit Emulated(std::int64_t size) : problem(Problem::packed(Type::f32, Op::none, Op::none, size, size, size)) {
    EXPECT_TRUE(runtime::open(kEmu, machine).ok());
    EXPECT_TRUE(Handle::open(kEmu, handle).ok());
    const auto bytes = static_cast<std::size_t>(size * size) * sizeof(float);
    const std::vector<float> ones(static_cast<std::size_t>(size * size), 1);
    for (runtime::Buffer* one : {&a, &b, &c}) {
      EXPECT_TRUE(runtime::Buffer::make(machine, bytes, *one).ok());
      EXPECT_TRUE(machine->copy_in(one->data(), ones.data(), bytes, nullptr).ok());
    }
  }
  Status multiply() { return gemm(handle, problem, 1, a.data(), b.data(), 0, c.data()); }
};

TEST(Fork, AChildForkedWhileOtherThreadsRunTheEmulatorIsRefusedAndEnds) {
  Emulated mine(16);
  ASSERT_TRUE(mine.multiply().ok());
  std::atomic<bool> stop{false};
  std::atomic<int> launches{0};
  std::thread busy([&] {
    Emulated theirs(256);
    while (!stop) {
      EXPECT_TRUE(theirs.multiply().ok());
      ++launches;
    }
  });
  while (launches == 0) std::this_thread::yield();
  int refused = 0;
  for (int round = 0; round < 8; ++round) {
    const int status = in_child([&] {
      const Status s = mine.multiply();
      if (s.ok()) return 0;  // forked in the moment between two launches
      if (s.code() != Code::device_error || s.message().find("fork()") == std::string::npos) return 2;
      Handle another;  // every way to the emulator is refused
      void* memory = nullptr;
      if (mine.machine->allocate(64, memory).ok() || mine.machine->synchronize(nullptr).ok()) return 3;
      if (Handle::open(kEmu, another).ok() &&
          gemm(another, mine.problem, 1, mine.a.data(), mine.b.data(), 0, mine.c.data()).ok()) {
        return 4;
      }
      Handle cpu;
      const float x = 2;
      float y = 0;
      if (!Handle::open(kCpu, cpu).ok()) return 5;
      return gemm(cpu, Op::none, Op::none, 1, 1, 1, 1, &x, 1, &x, 1, 0, &y, 1).ok() && y == 4 ? 1 : 6;
    });
    EXPECT_TRUE(status == 0 || status == 1) << "round " << round << ": status " << status;
    refused += status == 1;
  }
  stop = true;
  busy.join();
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(mine.multiply().ok());  // the parent goes on
}

TEST(Fork, AChildForkedWhileTheEmulatorIsIdleUsesIt) {
  Emulated mine(64);
  ASSERT_TRUE(mine.multiply().ok());
  EXPECT_EQ(in_child([&] {
              float first = 0;
              if (!mine.multiply().ok()) return 1;
              return mine.machine->copy_out(&first, mine.c.data(), sizeof first, nullptr).ok() && first == 64 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace cairn
