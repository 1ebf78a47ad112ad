// An error that ends the GPU for this process is told once in full, and then as what it is. Needs a GPU, and a
// process of its own.
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"

namespace cairn {
namespace {

std::shared_ptr<runtime::Machine> machine;

TEST(StickyError, IsToldOnceInFullAndThenAsWhatItIs) {
  Handle handle;
  ASSERT_TRUE(Handle::open(0, handle).ok());
  // No memory of the GPU stands there: the kernel faults while it runs, after the call has returned.
  void* const nowhere = reinterpret_cast<void*>(std::uintptr_t{4096});
  void* const apart = reinterpret_cast<void*>(std::uintptr_t{1} << 20);  // C may not overlap A or B
  const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, 64, 64, 64);
  EXPECT_TRUE(gemm(handle, problem, 1, nowhere, nowhere, 0, apart).ok());
  const Status first = machine->synchronize(nullptr);
  EXPECT_EQ(first.code(), Code::device_error);
  EXPECT_NE(first.message().find("cudaStreamSynchronize"), std::string::npos) << first.message();
  EXPECT_NE(first.message().find("cudaErrorIllegalAddress"), std::string::npos) << first.message();

  void* memory = nullptr;
  const Status later = machine->allocate(64, memory);
  EXPECT_EQ(later.code(), Code::device_error);
  EXPECT_NE(later.message().find("cannot be used by this process any more"), std::string::npos) << later.message();

  // The next product says which rung and which problem met it.
  const Status launch = gemm(handle, problem, 1, nowhere, nowhere, 0, apart);
  EXPECT_EQ(launch.code(), Code::device_error);
  EXPECT_NE(launch.message().find("simt/"), std::string::npos) << launch.message();
  EXPECT_NE(launch.message().find("f32 nn 64x64x64"), std::string::npos) << launch.message();
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
