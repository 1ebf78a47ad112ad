// The runtime API's memory: who may access what, rows with a pitch, symbols, and what each wrong call answers.
#include <cstring>
#include <string>

#include "emu/machine/errors.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    (void)cudaGetLastError();
    (void)emu::take_failure();
  }
  void TearDown() override { SetUp(); }
};

__global__ void add_index(int* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += i;
}

TEST_F(Memory, TheHostAndAKernelShareManagedMemory) {
  int* values = nullptr;
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&values, 100 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before - after, 400u);
  for (int i = 0; i < 100; ++i) values[i] = 1000;
  EXPECT_EQ(cudaMemPrefetchAsync(values, 400, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(values, 400, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId), cudaSuccess);
  run({2}, 64, 0, add_index, values, 100);
  EXPECT_TRUE(values[0] == 1000 && values[99] == 1099);

  int host[100] = {};
  EXPECT_EQ(cudaMemcpy(host, values, 400, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host[98], 1098);
  EXPECT_EQ(cudaMemset(values, 0, 404), cudaErrorInvalidValue);
  EXPECT_NE(emu::take_failure().message().find("of a managed allocation of 400"), std::string::npos);
  EXPECT_EQ(cudaFreeHost(values), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(values), cudaSuccess);
  EXPECT_EQ(cudaMallocManaged(&values, 4, 7u), cudaErrorInvalidValue);
}

TEST_F(Memory, AdviceIsForManagedMemoryAndForDevicesThatExist) {
  char *managed = nullptr, *device = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cudaMemAttachHost), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, here, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed + 32, 32, host, 0), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, here), cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, managed), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed + 32, 33, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(Memory, AKernelAccessesPinnedAndRegisteredMemory) {
  int *pinned = nullptr, *by_kernel = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 64 * sizeof(int), cudaHostAllocMapped), cudaSuccess);
  std::vector<int> own(64, 7);
  ASSERT_EQ(cudaHostGetDevicePointer(&by_kernel, own.data(), 0), cudaErrorInvalidValue) << "not registered yet";
  ASSERT_EQ(cudaHostRegister(own.data(), 256, cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own.data() + 8, 8, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  for (int* host : {pinned, own.data()}) {
    for (int i = 0; i < 64; ++i) host[i] = 7;
    ASSERT_EQ(cudaHostGetDevicePointer(&by_kernel, host, 0), cudaSuccess);
    run({1}, 64, 0, add_index, by_kernel, 64);
    EXPECT_TRUE(host[0] == 7 && host[63] == 70);
  }
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(own.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(own.data() + 1), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(own[63], 70) << "the caller's memory stays as it is";
  EXPECT_EQ(cudaHostAlloc(&pinned, 4, 8u), cudaErrorInvalidValue);
}

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int one = 5;

TEST_F(Memory, PointersSayWhatTheyPointTo) {
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    const bool on_device = attributes.type != cudaMemoryTypeUnregistered;
    EXPECT_EQ(attributes.devicePointer, on_device ? pointer : nullptr);
    EXPECT_EQ(attributes.hostPointer, attributes.type == cudaMemoryTypeDevice ? nullptr : pointer);
    EXPECT_EQ(attributes.device, on_device ? 0 : cudaInvalidDeviceId);
    return attributes.type;
  };
  char *device = nullptr, *managed = nullptr, *pinned = nullptr;
  void* symbol = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 8, cudaHostAllocPortable), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&symbol, one), cudaSuccess);
  EXPECT_EQ(type(device + 7), cudaMemoryTypeDevice);
  EXPECT_EQ(type(managed + 1), cudaMemoryTypeManaged);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(symbol), cudaMemoryTypeDevice);
  EXPECT_EQ(type(&device), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

struct Pair {
  int first;
  double second;
};
__constant__ Pair pair;
__constant__ const int fixed[2] = {8, 9};
__global__ void read_symbols(double* out) {
  out[0] = table[2];
  out[1] = one;
  out[2] = pair.first;
  out[3] = pair.second;
}
TEST_F(Memory, SymbolsAreArraysStructuresAndNumbers) {
  const float values[2] = {30, 40};
  const Pair whole{11, 12.5};
  int number = 6, back = 0, both[2] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values, 2 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(one, &number, sizeof one, 0, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(pair, &whole, sizeof whole), cudaSuccess);
  const Array<double> out(4);
  run({1}, 1, 0, read_symbols, out.data());
  EXPECT_EQ(out.host(), (std::vector<double>{30, 6, 11, 12.5}));
  EXPECT_EQ(cudaMemcpyFromSymbolAsync(&back, one, sizeof back), cudaSuccess);
  EXPECT_EQ(back, 6);
  EXPECT_EQ(cudaMemcpyFromSymbol(both, fixed, sizeof both), cudaSuccess);
  EXPECT_TRUE(both[0] == 8 && both[1] == 9);

  std::size_t bytes = 0;
  EXPECT_TRUE(cudaGetSymbolSize(&bytes, table) == cudaSuccess && bytes == 16);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values, 3 * sizeof(float)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&one, &number, sizeof number), cudaErrorInvalidSymbol) << "its address is no symbol";
  EXPECT_EQ(cudaMemcpyFromSymbol(&back, &one, sizeof back), cudaErrorInvalidSymbol);
}

TEST_F(Memory, ASymbolsAddressIsDeviceMemory) {
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, table), cudaSuccess);
  ASSERT_EQ(cudaMemset(address, 0, sizeof table), cudaSuccess);
  const float value = 2.5f;
  float all[4] = {9, 9, 9, 9};
  EXPECT_EQ(cudaMemcpy(static_cast<float*>(address) + 3, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(all, table, sizeof all), cudaSuccess);
  EXPECT_TRUE(all[0] == 0 && all[3] == 2.5f);
  EXPECT_EQ(cudaMemset(address, 0, sizeof table + 1), cudaErrorInvalidValue);

  Array<float> on_device({1, 2, 3, 4});  // from device memory, as cudaMemcpyDeviceToDevice
  EXPECT_EQ(cudaMemcpyToSymbol(table, on_device.data(), 16, 0, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(table, on_device.data() + 1, 16, 0, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(table[3], 4.0f);
}

TEST_F(Memory, RowsHaveAPitch) {
  unsigned char* rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 600, 3), cudaSuccess);
  EXPECT_EQ(pitch, 1024u);
  ASSERT_EQ(cudaMemset2D(rows, pitch, 0, 600, 3), cudaSuccess);
  unsigned char host[3][8], back[3][8];
  for (int i = 0; i < 24; ++i) host[i / 8][i % 8] = static_cast<unsigned char>(i + 1);
  // Five bytes of each row, from the third on.
  ASSERT_EQ(cudaMemcpy2D(rows + 2, pitch, host, 8, 5, 3, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DAsync(back, 8, rows, pitch, 8, 3, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  const unsigned char want[3][8] = {
      {0, 0, 1, 2, 3, 4, 5, 0}, {0, 0, 9, 10, 11, 12, 13, 0}, {0, 0, 17, 18, 19, 20, 21, 0}};
  EXPECT_EQ(std::memcmp(back, want, sizeof want), 0);

  EXPECT_EQ(cudaMemcpy2D(rows, 4, host, 8, 5, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(rows, 4, 0, 5, 1), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(rows, pitch, 0, 600, 4), cudaErrorInvalidValue) << "a row past the end";
  EXPECT_EQ(cudaMemcpyPeer(rows, 0, rows + 1024, 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, rows, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::memcmp(back, want[1], 8), 0);
  EXPECT_EQ(cudaMemcpyPeer(rows, 1, rows, 0, 8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(rows), cudaSuccess);
}

TEST_F(Memory, ThePoolIsTheDevicesMemory) {
  cudaMemPool_t pool = nullptr;
  std::uint64_t threshold = 12345, got = 0, before = 0, after = 0;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got), cudaSuccess);
  EXPECT_EQ(got, 12345u);
  int *a = nullptr, *b = nullptr;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&a, 100, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&b, 28, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after), cudaSuccess);
  EXPECT_EQ(after - before, 128u);
  EXPECT_EQ(cudaFreeAsync(a, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(b, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&a, 4, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 1), cudaErrorInvalidDevice);
}

TEST_F(Memory, AWriteJustOutsideOfPinnedMemoryIsSeen) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 40), cudaSuccess);
  for (int i = 0; i < 11; ++i) pinned[i] = i;
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  EXPECT_NE(emu::take_failure().message().find("wrote past the end of a pinned allocation of 40"), std::string::npos);
}

}  // namespace
}  // namespace cairn::emu_test
