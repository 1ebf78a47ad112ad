// The kernels of 24: one multiplies, the other adds the partial sums of slices of k.
#pragma once

#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/pdl.hpp"
#include "device/scaled_sum.hpp"
#include "device/vec.hpp"
#include "kernels/simt/24_few_rows/cost.hpp"

namespace cairn::simt_24 {

template <class T> inline constexpr int kVector = 16 / sizeof(T);
template <class T>
inline constexpr int kCols = kVector<T>;  // of the large matrix: what a thread multiplies in a step
template <class T, int rows, bool vector> inline constexpr int kBuffers = buffers_of(rows * sizeof(T), vector);
template <int rows> inline constexpr int kStage = stage_of(rows);
template <class T, int rows> inline constexpr int kLdStage = kStage<rows> + kVector<T>;

// The product as the kernel sees it, C or its transpose: `few` rows by `many` columns. The large matrix W is k x many,
// the other, X, few x k.
template <class T> struct Args {
  std::int64_t m, n, k, few, many;
  T alpha, beta;
  const T* W;
  std::int64_t ldw, stride_w;
  const T* X;
  std::int64_t row_x, k_x, stride_x;  // from an element to the next row, the next k, the next product
  T* C;
  std::int64_t ldc, stride_c;
  int across;
  int head;     // elements by which W begins behind a multiple of 16 bytes, if its lines are read by 16 bytes
  bool wide_x;  // X is copied by 16 bytes
  bool turned;  // rows are those of C's transpose
  unsigned pieces, groups, slices;  // blocks along `few`, `many` and k
  T* partials;                      // (slices, batch, m, n)
  Epilogue epilogue;
};

// Finishes a sum and stores it in C, which is not read where beta is 0: it may hold anything, NaN too.
template <class T>
__device__ __forceinline__ void store(const Args<T>& g, std::int64_t batch, std::int64_t row, std::int64_t col,
                                      T sum) {
  const std::int64_t at = batch * g.stride_c + row * g.ldc + col;
  if (g.epilogue.any) {
    T one[1] = {sum};
    finish<T>(g.epilogue, g.C, {at, batch, row, col}, one, g.alpha, g.beta);
  } else {
    g.C[at] = g.beta == 0 ? g.alpha * sum : scaled_sum(g.alpha, sum, g.beta, g.C[at]);
  }
}

// What a thread multiplies in a step: kLines lines of W, kRun elements of each. W is k-major (a line is a column) or
// MN-major (a line has the same k). A run is one access of 16 bytes, or single elements `stretch` apart, so that lanes
// read neighbours either way.
template <class T, bool k_major, bool vector> struct Weights {
  static constexpr int kLines = k_major ? kCols<T> : kDeep, kRun = k_major ? kDeep : kCols<T>;
  static constexpr int kWide = vector ? kVector<T> : 1;
  const Args<T>& g;
  const T* from;     // the first element of the next step
  int first, depth;  // k of step 0, and from a step to the next
  int whole;         // steps before this one are not at an edge, but perhaps step 0
  int stretch;
  int lines;         // of a k-major W, those that are there
  unsigned columns;  // of an MN-major W, a bit for each column of the run that is there

  __device__ __forceinline__ Weights(const Args<T>& args, std::int64_t batch, std::int64_t group, int layers,
                                     int column, int layer)
      : g(args), depth(layers * kDeep) {
    const std::int64_t start = group * (g.across * kCols<T>);
    if constexpr (k_major) {
      const std::int64_t col = start + column * kCols<T>;
      first = layer * kWide - g.head, stretch = layers * kWide;
      lines = static_cast<int>(max(std::int64_t{0}, min(g.many - col, std::int64_t{kLines})));
      from = g.W + batch * g.stride_w + col * g.ldw + first;
    } else {
      const std::int64_t col = start + column * kWide - g.head;
      first = layer * kDeep, stretch = g.across * kWide;
      columns = 0;
#pragma unroll
      for (int e = 0; e < kRun; ++e) columns |= col + at(e) >= 0 && col + at(e) < g.many ? 1u << e : 0u;
      from = g.W + batch * g.stride_w + first * g.ldw + col;
    }
    const std::int64_t last =
        g.k - first - (k_major ? at(kRun - 1) + 1 : kDeep);  // k from its last element to the end
    const bool all = k_major || columns == (1u << kRun) - 1;
    whole = all && last >= 0 ? static_cast<int>(last / depth) + 1 : 0;
  }
  __device__ __forceinline__ int at(int e) const { return e / kWide * stretch + e % kWide; }  // of a run
  __device__ __forceinline__ bool any() const { return k_major ? lines > 0 : columns != 0; }
  __device__ __forceinline__ void advance(std::int64_t steps) { from += steps * depth * (k_major ? 1 : g.ldw); }
  // A column that is not there is one that is: its sums go nowhere.
  __device__ __forceinline__ const T* line(int i) const { return from + (k_major ? min(i, lines - 1) : i) * g.ldw; }

  // Loads a step. At an edge elements are loaded one by one, and zeros stand in for what is outside.
  __device__ __forceinline__ void load(T (&to)[kLines][kRun], int step) const {
    const bool all = step < whole && (!k_major || step > 0 || first >= 0);
    const int left = static_cast<int>(min(g.k - first - std::int64_t{step} * depth, std::int64_t{1} << 30));  // of k
    const int before = step == 0 ? -first : 0;
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
      if (all) {
#pragma unroll
        for (int e = 0; e < kRun; e += kWide) {
          if constexpr (vector) load16(&to[i][e], line(i) + at(e));
          if constexpr (!vector) to[i][e] = line(i)[at(e)];
        }
      } else {
#pragma unroll
        for (int e = 0; e < kRun; ++e) {
          const bool there = k_major ? at(e) >= before && at(e) < left : (columns >> e & 1) != 0 && i < left;
          to[i][e] = there ? line(i)[at(e)] : T(0);
        }
      }
    }
  }
};

// Copies `count` of k of the few rows into shared memory, from `start` on: neighbours are those that a thread multiplies
// in a step. Zeros stand in for what is outside. 16 bytes at a time, or an element.
template <class T, int rows, bool k_major, bool vector, int some>
__device__ __forceinline__ void stage(const Args<T>& g, T* to, std::int64_t batch, std::int64_t row0,
                                      std::int64_t start, int count, int layers) {
  constexpr int wide = vector ? kVector<T> : 1;
  const T* const X = g.X + batch * g.stride_x + row0 * g.row_x;
  const int inside = static_cast<int>(min(g.few - row0, std::int64_t{rows}));
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) * some; i < count; i += kThreads * some) {
    const std::int64_t k = start + i;
    const int there = k < 0 ? 0 : static_cast<int>(max(std::int64_t{0}, min(g.k - k, std::int64_t{some})));
    int position = i;
    if constexpr (k_major && wide < kDeep) {
      const int within = i % (layers * kDeep), piece = within / (layers * wide), rest = within % (layers * wide);
      position = i - within + rest / wide * kDeep + piece * wide + rest % wide;
    }
#pragma unroll 4
    for (int r = 0; r < rows; ++r) {
      const int bytes = r < inside ? there * static_cast<int>(sizeof(T)) : 0;
      async_copy<some * sizeof(T)>(to + r * kLdStage<T, rows> + position,
                                   bytes > 0 ? X + r * g.row_x + k * g.k_x : g.X, bytes);
    }
  }
}

// Adds `held` sums over the lanes that differ in `bit` and lower ones, half of them in each step: afterwards a lane has
// the sums from the returned one on, held / (2 bit) of them, or one that its neighbours have too.
template <int held, int bit, class T, int count> __device__ __forceinline__ int fold(T (&sums)[count], int lane) {
  if constexpr (bit == 0) {
    return 0;
  } else if constexpr (held == 1) {
    sums[0] += __shfl_xor_sync(0xffffffffu, sums[0], bit);
    return fold<1, bit / 2>(sums, lane);
  } else {
    const bool upper = (lane & bit) != 0;
#pragma unroll
    for (int i = 0; i < held / 2; ++i) {
      const T give = upper ? sums[i] : sums[i + held / 2], keep = upper ? sums[i + held / 2] : sums[i];
      sums[i] = keep + __shfl_xor_sync(0xffffffffu, give, bit);
    }
    return (upper ? held / 2 : 0) + fold<held / 2, bit / 2>(sums, lane);
  }
}

template <class T, int rows, bool k_major, bool vector>
__global__ void __launch_bounds__(kThreads, kResident) simt_24_few_rows(const __grid_constant__ Args<T> g) {
  using Block = Weights<T, k_major, vector>;
  extern __shared__ __align__(16) unsigned char simt_24_shared[];
  T* const shared = reinterpret_cast<T*>(simt_24_shared);  // (rows, stage), then (layers, rows, columns) of sums

  // Position. Lanes go along the lines of W, so that a warp reads neighbours.
  const unsigned piece = blockIdx.x % g.pieces, rest = blockIdx.x / g.pieces;
  const unsigned group = rest % g.groups, slice = rest / g.groups, batch = blockIdx.y;
  const int tid = static_cast<int>(threadIdx.x), across = g.across, layers = kThreads / across;
  const int column = k_major ? tid / layers : tid % across, layer = k_major ? tid % layers : tid / across;
  const std::int64_t row0 = std::int64_t{piece} * rows;
  pdl_launch_dependents();  // the kernel that adds partial sums is scheduled early, and waits

  // The slice's steps: of a step a block multiplies `depth` of k.
  const int depth = layers * kDeep;
  const std::int64_t head = k_major ? g.head : 0, steps = (g.k + head + depth - 1) / depth;
  const int begin = static_cast<int>(steps * slice / g.slices),
            end = static_cast<int>(steps * (slice + 1) / g.slices);

  // Main loop: while a step is multiplied, `ahead` others are on their way into buffers of registers.
  constexpr int buffers = kBuffers<T, rows, vector>, ahead = buffers - 1;
  Block weights(g, batch, group, layers, column, layer);
  weights.advance(begin);
  const bool active = weights.any();
  T acc[rows * kCols<T>] = {}, held[buffers][Block::kLines][Block::kRun] = {};
  const auto load = [&](int buffer, int step) {
    if (active && step < end) weights.load(held[buffer], step);
    weights.advance(1);
  };
#pragma unroll
  for (int b = 0; b < ahead; ++b) load(b, begin + b);
  const int stage_steps = kStage<rows> / depth;  // a multiple of `buffers`
#pragma unroll 1
  for (int chunk = begin; chunk < end; chunk += stage_steps) {
    const int last = min(chunk + stage_steps, end);
    if (chunk > begin) __syncthreads();  // all are done with the part before
    const std::int64_t start = std::int64_t{chunk} * depth - head;
    const int count = (last - chunk) * depth;
    if ((vector || !k_major) && g.wide_x) {
      stage<T, rows, k_major, vector, kVector<T>>(g, shared, batch, row0, start, count, layers);
    } else {
      stage<T, rows, k_major, vector, 1>(g, shared, batch, row0, start, count, layers);
    }
    async_commit();
    async_wait<0>();
    __syncthreads();
    if (!active) continue;
    const T* x = shared + layer * kDeep;
#pragma unroll 1
    for (int i = chunk; i < last; i += buffers) {
#pragma unroll
      for (int b = 0; b < buffers; ++b) {
        if (i + b >= last) break;
        load((b + ahead) % buffers, i + b + ahead);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          T few[kDeep];
#pragma unroll
          for (int kk = 0; kk < kDeep; kk += kVector<T>) load16(&few[kk], x + r * kLdStage<T, rows> + kk);
#pragma unroll
          for (int kk = 0; kk < kDeep; ++kk) {
#pragma unroll
            for (int c = 0; c < kCols<T>; ++c)
              acc[r * kCols<T> + c] += few[kk] * (k_major ? held[b][c % Block::kLines][kk % Block::kRun]
                                                          : held[b][kk % Block::kLines][c % Block::kRun]);
          }
        }
        x += depth;
      }
    }
  }

  // The layers' sums go through shared memory, those of lanes along k by shuffles first.
  __syncthreads();                                   // all are done with the last part of X
  const int width = across * kCols<T> + kVector<T>;  // padded, for threads that read a column
  int sums_of = layers;                              // layers that are left
  if constexpr (k_major) {
    constexpr int count = rows * kCols<T>, left = count > kFold ? count / kFold : 1;
    constexpr int alike = count < kFold ? kFold / count : 1;  // lanes that have the same sum
    const int first = fold<count, kFold / 2>(acc, tid);
    sums_of = layers / kFold;
#pragma unroll
    for (int i = 0; i < left; ++i) {
      const int r = (first + i) / kCols<T>, c = (first + i) % kCols<T>;
      if (tid % alike == 0) shared[(layer / kFold * rows + r) * width + column * kCols<T> + c] = acc[i];
    }
  } else {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      T* const to = shared + (layer * rows + r) * width + column * Block::kWide;
#pragma unroll
      for (int c = 0; c < kCols<T>; c += Block::kWide) {
        if constexpr (vector) store16(to + weights.at(c), &acc[r * kCols<T> + c]);
        if constexpr (!vector) to[weights.at(c)] = acc[r * kCols<T> + c];
      }
    }
  }
  __syncthreads();

  // Store: a thread adds the layers of an element, in their order. Threads go along the rows of C.
  const int cols = across * kCols<T>;
  const std::int64_t col0 = std::int64_t{group} * cols - (k_major ? 0 : g.head);
#pragma unroll 1
  for (int i = tid; i < rows * cols; i += kThreads) {
    const int r = g.turned ? i % rows : i / cols, c = g.turned ? i / rows : i % cols;
    if (row0 + r >= g.few || col0 + c < 0 || col0 + c >= g.many) continue;
    const T* const from = shared + r * width + c;
    T sum = from[0];
#pragma unroll 4
    for (int l = 1; l < sums_of; ++l) sum += from[l * rows * width];
    const std::int64_t row = g.turned ? col0 + c : row0 + r, col = g.turned ? row0 + r : col0 + c;
    if (g.slices == 1) {
      store(g, batch, row, col, sum);
    } else {
      g.partials[((std::int64_t{slice} * gridDim.y + batch) * g.m + row) * g.n + col] = sum;
    }
  }
}

// Adds the partial sums of an element: each layer of threads every so many-th slice, then the layers in their order.
template <class T> __global__ void __launch_bounds__(kThreads) simt_24_add(const __grid_constant__ Args<T> g) {
  __shared__ T sums[kThreads];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y),
            width = static_cast<int>(blockDim.x);
  const std::int64_t at = std::int64_t{blockIdx.x} * width + x, batch = blockIdx.y, elements = g.m * g.n;
  const T* const from = g.partials + batch * elements + at;
  pdl_wait();
  T sum = 0;
  if (at < elements) {
#pragma unroll 4
    for (unsigned slice = threadIdx.y; slice < g.slices; slice += blockDim.y)
      sum += from[std::int64_t{slice} * gridDim.y * elements];
  }
  sums[y * width + x] = sum;
  __syncthreads();
  if (y > 0 || at >= elements) return;
  for (int layer = 1; layer < static_cast<int>(blockDim.y); ++layer) sum += sums[layer * width + x];
  store(g, batch, at / g.n, at % g.n, sum);
}

}  // namespace cairn::simt_24
