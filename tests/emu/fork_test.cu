// The emulator in a child of fork(): what belongs to a process, OS threads and timers, is made again. That a child is
// refused where other threads were in the emulator is tested through the library (tests/api/fork_test.cpp).
#include "device/cluster.hpp"
#include "tests/emu/support.hpp"
#include "tests/in_child.hpp"

namespace cairn::emu_test {
namespace {

// Every block waits for the others of its cluster, which are on other OS threads.
__global__ void meets(int* out) {
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
// The preemption timer has to interrupt the first thread.
__global__ void waits_for_another(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    *out = 7;
  } else if (threadIdx.x == 40) {
    *flag = 1;
  }
}

bool clusters_meet() {
  const Array<int> out(8);
  return launch_cluster(4, {8}, 32, 0, nullptr, meets, out.data()).ok() && out.host() == std::vector<int>(8, 1);
}
bool polling_ends() {
  const Array<int> flag(1), out(1);
  return launch({1}, 64, 0, nullptr, waits_for_another, flag.data(), out.data()).ok() && out.host()[0] == 7;
}

TEST(Fork, AChildOfAnIdleParentHasThreadsAndTimersOfItsOwn) {
  ASSERT_TRUE(clusters_meet());
  ASSERT_TRUE(polling_ends());
  EXPECT_EQ(in_child([] { return clusters_meet() ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([] { return polling_ends() ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([] { return in_child([] { return clusters_meet() && polling_ends() ? 0 : 1; }); }), 0);
  EXPECT_TRUE(clusters_meet());
}

}  // namespace
}  // namespace cairn::emu_test
