// Inline PTX as public kernels have it. Prints what differs from the same in C++, and "ptx: N differences".
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_fp16.h>

__device__ int differences = 0;

__device__ void expect(bool holds, const char* what) {
  if (holds) return;
  atomicAdd(&differences, 1);
  printf("thread %d: %s\n", static_cast<int>(threadIdx.x), what);
}

__device__ uint32_t offset_of(const void* shared) { return static_cast<uint32_t>(__cvta_generic_to_shared(shared)); }
__device__ uint32_t offset_by_ptx(const void* shared) {
  uint32_t offset;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(offset) : "l"(shared));
  return offset;
}

#define COPY(to, from, bytes) \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(bytes))
#define COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

// How many of two elements are right, of which those from n on are not there.
__device__ int guarded_tail(const float* in, int n) {
  int got = 0;
  for (int i = static_cast<int>(threadIdx.x); i < 64; i += 32) {
    float x;
    asm volatile(
        "{\n"
        " .reg .pred p;\n"
        " setp.lt.s32 p, %1, %2;\n"
        " mov.b32 %0, 0;  // where there is nothing\n"
        " @p ld.global.nc.L1::no_allocate.f32 %0, [%3];\n"
        "}\n"
        : "=f"(x)
        : "r"(i), "r"(n), "l"(in + i));
    got += x == (i < n ? in[i] : 0.0f);
  }
  return got;
}

// Rows of 16 bytes by cp.async, read as a matrix and as ld.shared has them.
__global__ void copies(const float* in) {
  __shared__ alignas(128) __half rows[32][8];
  __shared__ float other[64];
  const int lane = static_cast<int>(threadIdx.x);
  const auto* halves = reinterpret_cast<const __half*>(in) + lane * 8;
  const uint32_t to = offset_of(&rows[lane][0]);
  expect(to == offset_by_ptx(&rows[lane][0]), "both ways to an offset");
  COPY(to, halves, 16);
  COMMIT();
  WAIT(0);
  __syncthreads();

  uint32_t m[4];
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(offset_of(&rows[lane][0])));
  for (int i = 0; i < 4; ++i) {
    uint32_t wanted;
    memcpy(&wanted, &rows[8 * i + lane / 4][lane % 4 * 2], 4);
    expect(m[i] == wanted, "ldmatrix");
  }

  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4 + 0];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(to));
  expect(memcmp(&v, &rows[lane][0], 16) == 0, "ld.shared.v4");
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(offset_of(&other[lane * 2])), "f"(v.x), "f"(v.w) : "memory");
  __syncwarp();
  expect(memcmp(&other[lane * 2], &v.x, 4) == 0 && memcmp(&other[lane * 2 + 1], &v.w, 4) == 0, "st.shared.v2");
  expect(guarded_tail(in, 40) == 2, "a guarded load");
}

__global__ void products(float* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const __half2 one = __floats2half2_rn(1.0f, 1.0f);
  uint32_t a[4], b[2];
  for (uint32_t& word : a) memcpy(&word, &one, 4);
  for (uint32_t& word : b) memcpy(&word, &one, 4);
  float d[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,  %1,  %2,  %3},"
      "{%4,  %5,  %6,  %7},"
      "{%8,  %9},"
      "{%10, %11, %12, %13};\n"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
  for (int i = 0; i < 4; ++i) expect(d[i] == 16.0f + static_cast<float>(i + 1), "mma in f32");
  uint32_t h[2] = {0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
               : "=r"(h[0]), "=r"(h[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(h[0]), "r"(h[1]));
  const __half2 sixteen = __floats2half2_rn(16.0f, 16.0f);
  expect(memcmp(&h[0], &sixteen, 4) == 0 && memcmp(&h[1], &sixteen, 4) == 0, "mma in f16");
  out[lane] = d[0];
}

__global__ void arithmetic(unsigned* counter) {
  const unsigned lane = threadIdx.x;
  unsigned got, other;
  asm("mov.u32 %0, %%laneid;" : "=r"(got));
  expect(got == lane, "laneid");
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(got));
  expect(got == (1u << lane) - 1, "lanemask_lt");
  asm("mov.u32 %0, %tid.x; add.s32 %0, %0, -3;" : "=r"(got));
  expect(got == lane - 3, "a special register and a number");
  asm("bfind.u32 %0, %1;" : "=r"(got) : "r"(lane));
  expect(got == (lane == 0 ? 0xffffffffu : 31u - static_cast<unsigned>(__clz(static_cast<int>(lane)))), "bfind");
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(got) : "r"(lane), "r"(5u), "r"(12u));
  expect(got == (lane ^ 5u ^ 12u), "lop3");
  unsigned long long wide;
  asm("{ .reg .u32 low, high; mul.lo.u32 low, %2, %3; mul.hi.u32 high, %2, %3;\n"
      " mov.b64 %0, {low, high}; mov.b32 %1, high; }"
      : "=l"(wide), "=r"(other)
      : "r"(lane + 0x80000000u), "r"(6u));
  expect(wide == 6ull * (lane + 0x80000000u) && other == 3, "mul.lo, mul.hi and a packed move");
  float sum = 1;
  asm("fma.rn.ftz.f32 %0, %1, 0f40000000, %0;" : "+f"(sum) : "f"(3.0f));
  expect(sum == 7, "fma with the bits of a number");
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(2.0f), "f"(1.0f));
  const __half2 wanted = __floats2half2_rn(1.0f, 2.0f);
  expect(memcmp(&pair, &wanted, 4) == 0, "cvt to a pair");
  asm("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(pair));
  const __half2 fused = __floats2half2_rn(2.0f, 6.0f);
  expect(memcmp(&pair, &fused, 4) == 0, "fma of a pair");
  int rounded;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(rounded) : "f"(-2.75f));
  expect(rounded == -2, "cvt to an integer");
  unsigned moved, inside;
  asm("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 1, 0x1f, 0xffffffff; selp.u32 %1, 1, 0, p; }"
      : "=r"(moved), "=r"(inside)
      : "r"(lane * 3));
  expect(moved == (lane == 31 ? 93 : lane * 3 + 3) && inside == (lane == 31 ? 0 : 1), "shfl with a predicate");
  asm volatile("red.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
  unsigned old;
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(counter + 1), "r"(lane), "r"(lane + 1));
  unsigned steps = 0;
  asm volatile(
      "{ .reg .pred done;\n"
      "AGAIN:\n"
      " add.u32 %0, %0, 1;\n"
      " setp.ge.u32 done, %0, 5;\n"
      " @done bra OUT;\n"
      " bra.uni AGAIN;\n"
      "OUT: }"
      : "+r"(steps));
  expect(steps == 5, "a loop");
  asm volatile("" ::: "memory");
  asm volatile("bar.sync 0;");
  unsigned count;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(count) : "l"(counter));
  expect(count == 32, "red");
}

// Not emulated, and nobody comes there.
__device__ unsigned never(unsigned x) {
  asm("vadd.u32.u32.u32 %0, %0, 1;" : "+r"(x));  // <- vadd
  return x;
}
__global__ void refused(unsigned* out, bool reached) {
  if (reached) *out = never(*out);
}
// The last lane's row is beyond the array.
__global__ void beyond(float* out) {
  __shared__ float row[32];
  row[threadIdx.x] = 1;
  __syncthreads();
  float x;
  asm volatile("ld.shared.f32 %0, [%1 + 4];" : "=f"(x) : "r"(offset_of(&row[threadIdx.x])));  // <- ld beyond
  out[threadIdx.x] = x;
}
__global__ void races(float* out) {
  __shared__ float row[64];
  asm volatile("st.shared.f32 [%0], 0f3f800000;" ::"r"(offset_of(&row[threadIdx.x])) : "memory");
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(offset_of(&row[63 - threadIdx.x])));  // <- ptx race
  out[threadIdx.x] = x;
}

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  float in[256], *from;
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i);
  unsigned* counter;
  cudaMalloc(&from, sizeof in);
  cudaMalloc(&counter, 128 * sizeof(unsigned));
  cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(counter, 0, 128 * sizeof(unsigned));
  copies<<<1, 32>>>(from);
  products<<<1, 32>>>(from);
  arithmetic<<<1, 32>>>(counter);
  refused<<<1, 1>>>(counter, std::strcmp(fault, "vadd") == 0);
  if (std::strcmp(fault, "ld beyond") == 0) beyond<<<1, 32>>>(from);
  if (std::strcmp(fault, "ptx race") == 0) races<<<1, 64>>>(from);
  int count = 0;
  cudaMemcpyFromSymbol(&count, differences, sizeof count);
  std::printf("ptx: %d differences\n", count);
  return count == 0 ? 0 : 1;
}
