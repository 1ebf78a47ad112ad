// TMA: boxes of every rank, size and swizzle, over every edge of the matrix, to shared memory and back.
#include <cstring>
#include <numeric>

#include "device/tma.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

struct At {
  int v[5];
};

template <int rank> __device__ void corner(int (&to)[rank], const At& at) {
  for (int i = 0; i < rank; ++i) to[i] = at.v[i];
}

// A box as it lies in shared memory, byte for byte.
template <int rank>
__global__ void load_bytes(const __grid_constant__ TensorMap map, At at, unsigned bytes, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ Mbarrier arrived;
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    prefetch_tensor_map(map);
    int corner_at[rank];
    corner(corner_at, at);
    mbarrier_arrive_expect_tx(&arrived, bytes);
    tma_load(box, map, corner_at, &arrived);
  }
  mbarrier_wait(&arrived, 0);
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i];
}

// And back.
template <int rank>
__global__ void store_bytes(const __grid_constant__ TensorMap map, At at, unsigned bytes, const unsigned char* in) {
  extern __shared__ __align__(1024) unsigned char box[];
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = in[i];
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  int corner_at[rank];
  corner(corner_at, at);
  tma_store(map, corner_at, box);
  tma_commit();
  tma_wait<0>();
}

// Where byte `at` of a box lies, as device/tensor_map.hpp tells it.
std::size_t place(Swizzle swizzle, std::size_t at) {
  const std::size_t piece = at / 16, in_chunk = at % 16;
  switch (swizzle) {
    case Swizzle::b128: return (piece / 8 * 8 + (piece % 8 ^ piece / 8 % 8)) * 16 + in_chunk;
    case Swizzle::b64: return (piece / 4 * 4 + (piece % 4 ^ piece / 4 / 2 % 4)) * 16 + in_chunk;
    case Swizzle::b32: return (piece / 2 * 2 + (piece % 2 ^ piece / 2 / 4 % 2)) * 16 + in_chunk;
    case Swizzle::none: break;
  }
  return at;
}

// A matrix of random bytes, with gaps between its rows, and a map of it.
struct Matrix {
  TensorBox box;
  std::vector<unsigned char> bytes;
  std::size_t element, box_bytes;

  Matrix(int rank, Type type, std::array<std::uint64_t, 5> sizes, std::array<std::uint32_t, 5> sides, Swizzle swizzle)
      : box{nullptr, type, false, rank, sizes, {}, sides, swizzle}, element(static_cast<std::size_t>(size_of(type))) {
    box_bytes = element;
    std::uint64_t stride = element;
    for (int i = 0; i < rank; ++i) {
      box.strides[i] = stride;
      stride = (stride * sizes[i] + 15) / 16 * 16 + (i == 0 ? 32 : 0);
      box_bytes *= sides[i];
    }
    bytes.resize(stride);
    Values random(static_cast<std::uint64_t>(rank) * 77 + element);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.next() % 255 + 1);
  }

  // Calls f(place in the box, place in the matrix or -1) for each element of the box. A store that begins a piece of
  // 16 bytes writes all of it.
  template <class F> void each(const At& at, bool store, F&& f) const {
    std::array<std::uint64_t, 5> ends = box.sizes;
    const std::uint64_t piece = 16 / element;
    if (store && at.v[0] < static_cast<std::int64_t>(ends[0])) ends[0] = (ends[0] + piece - 1) / piece * piece;
    std::array<std::uint32_t, 5> i = {};
    for (std::size_t n = 0; n < box_bytes / element; ++n) {
      std::int64_t from = 0;
      for (int d = 0; d < box.rank; ++d) {
        const std::int64_t here = at.v[d] + std::int64_t{i[d]};
        if (here < 0 || here >= static_cast<std::int64_t>(ends[d])) from = -1;
        if (from >= 0) from += here * static_cast<std::int64_t>(box.strides[d]);
      }
      f(place(box.swizzle, n * element), from);
      for (int d = 0; d < box.rank && ++i[d] == box.box[d]; ++d) i[d] = 0;
    }
  }
};

template <int rank> void expect_loaded(Matrix matrix, const At& at) {
  const Array<unsigned char> in(matrix.bytes), out(matrix.box_bytes);
  matrix.box.base = in.data();
  TensorMap map;
  const Status made = make_tensor_map(map, matrix.box);
  ASSERT_TRUE(made.ok()) << made.message();
  run({1}, 64, matrix.box_bytes, load_bytes<rank>, map, at, static_cast<unsigned>(matrix.box_bytes), out.data());
  std::vector<unsigned char> want(matrix.box_bytes);
  matrix.each(at, false, [&](std::size_t to, std::int64_t from) {
    if (from >= 0) std::memcpy(&want[to], &matrix.bytes[static_cast<std::size_t>(from)], matrix.element);
  });
  EXPECT_EQ(out.host(), want) << "rank " << rank << " at " << at.v[0] << " " << at.v[1] << " " << at.v[2];
}

template <int rank> void expect_stored(Matrix matrix, const At& at) {
  std::vector<unsigned char> content(matrix.box_bytes);
  std::iota(content.begin(), content.end(), static_cast<unsigned char>(3));
  const Array<unsigned char> in(content), out(matrix.bytes);
  matrix.box.base = out.data();
  TensorMap map;
  const Status made = make_tensor_map(map, matrix.box);
  ASSERT_TRUE(made.ok()) << made.message();
  run({1}, 64, matrix.box_bytes, store_bytes<rank>, map, at, static_cast<unsigned>(matrix.box_bytes), in.data());
  matrix.each(at, true, [&](std::size_t from, std::int64_t to) {
    if (to >= 0) std::memcpy(&matrix.bytes[static_cast<std::size_t>(to)], &content[from], matrix.element);
  });
  EXPECT_EQ(out.host(), matrix.bytes) << "rank " << rank << " at " << at.v[0] << " " << at.v[1] << " " << at.v[2];
}

// Inside; before the start and past the end along each dimension; and all of it outside. Along the first a box begins
// at a multiple of 16 bytes, `piece` elements.
std::vector<At> corners(int rank, int piece) {
  std::vector<At> all = {{{0, 0, 0, 0, 0}}, {{piece, 2, 1, 1, 0}}, {{-piece, -2, -1, 0, -1}}, {{piece, 4, 3, 2, 1}}};
  for (int d = 0; d < rank; ++d) {
    for (const int where : {-3, 4, 1000, -1000, 0x7fffff00}) {
      At at = {{piece, 1, 1, 0, 0}};
      at.v[d] = d > 0 || where == 0x7fffff00 ? where : where / 3 * piece;
      all.push_back(at);
    }
  }
  return all;
}

template <int rank> void expect_rank(Type type, std::uint32_t first_side) {
  const Matrix matrix(rank, type, {27, 7, 5, 3, 2}, {first_side, 6, 2, 3, 2}, Swizzle::none);
  for (const At& at : corners(rank, static_cast<int>(16 / size_of(type)))) {
    expect_loaded<rank>(matrix, at);
    expect_stored<rank>(matrix, at);
  }
}
TEST(Tma, BoxesOfEveryRankOverEveryEdge) {
  expect_rank<1>(Type::f32, 8);
  expect_rank<2>(Type::f16, 8);
  expect_rank<3>(Type::e4m3, 16);
  expect_rank<4>(Type::f64, 4);
  expect_rank<5>(Type::bf16, 16);
}

TEST(Tma, PiecesChangePlacesAsTheSwizzleSays) {
  for (const Type type : {Type::e4m3, Type::f16, Type::f32, Type::f64}) {
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
      const auto span = swizzle == Swizzle::none ? 128u : 16u << static_cast<unsigned>(swizzle);
      const auto side = span / static_cast<unsigned>(size_of(type));
      const Matrix matrix(2, type, {side + 5, 40}, {side, 32}, swizzle);
      const auto piece = static_cast<int>(16 / size_of(type));
      for (const At& at : {At{{0, 0}}, At{{piece, 11}}, At{{-piece, -5}}}) {
        expect_loaded<2>(matrix, at);
        expect_stored<2>(matrix, at);
      }
      const Matrix deep(3, type, {side, 10, 9}, {side, 4, 8}, swizzle);
      expect_loaded<3>(deep, {{0, 7, 3}});
      expect_stored<3>(deep, {{0, 7, 3}});
    }
  }
}

// f32 on its way to tensor cores: ten bits of mantissa are left.
TEST(Tma, RoundsToTf32OnTheWay) {
  const std::vector<std::uint32_t> from = {0x3f800000, 0x3f800fff, 0x3f801001, 0x3f803001, 0x3f802fff, 0xbf801001,
                                           0x7f800000, 0xff800000, 0x7f7fffff, 0x00000000, 0x80000000, 0x3f804000};
  const std::vector<std::uint32_t> want = {0x3f800000, 0x3f800000, 0x3f802000, 0x3f804000, 0x3f802000, 0xbf802000,
                                           0x7f800000, 0xff800000, 0x7f800000, 0x00000000, 0x80000000, 0x3f804000};
  const Array<std::uint32_t> in(from);
  const Array<unsigned char> out(4 * from.size());
  TensorMap map;
  TensorBox box{.base = in.data(), .type = Type::f32, .tf32 = true, .rank = 1, .sizes = {12}, .box = {12}};
  ASSERT_TRUE(make_tensor_map(map, box).ok());
  run({1}, 32, 4 * from.size(), load_bytes<1>, map, At{}, static_cast<unsigned>(4 * from.size()), out.data());
  const auto bytes = out.host();
  std::vector<std::uint32_t> got(from.size());
  std::memcpy(got.data(), bytes.data(), bytes.size());
  EXPECT_EQ(got, want);
}

// Two groups; the memory of the older is used again while the younger is in flight.
__global__ void in_groups(const __grid_constant__ TensorMap map, int rounds) {
  alignas(128) __shared__ int tile[2][32];
  const int lane = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    if (lane == 0) tma_wait_read<1>();
    __syncwarp();
    tile[round % 2][lane] = 100 * round + lane;
    fence_proxy_async();
    __syncwarp();
    if (lane == 0) {
      const int at[] = {0, round};
      tma_store(map, at, tile[round % 2]);
      tma_commit();
    }
  }
  if (lane == 0) tma_wait_read<0>();
}
TEST(Tma, StoresGoOutInGroups) {
  for (const std::uint64_t rounds : {1, 2, 3, 9}) {
    const Array<int> out(32 * rounds);
    TensorMap map;
    const TensorBox box{
        .base = out.data(), .type = Type::f32, .sizes = {32, rounds}, .strides = {0, 128}, .box = {32, 1}};
    ASSERT_TRUE(make_tensor_map(map, box).ok());
    run({1}, 32, 0, in_groups, map, static_cast<int>(rounds));
    std::vector<int> want(32 * rounds);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = static_cast<int>(i / 32 * 100 + i % 32);
    EXPECT_EQ(out.host(), want);
  }
}

// Rows are cut at pieces of 16 bytes: of a matrix of 30 columns the 31st and the 32nd are overwritten, not the 33rd.
// So it was seen on an H200.
TEST(Tma, StoresWriteTheWholeOfTheLastPiece) {
  constexpr int kept = -7;
  const Array<int> out(std::vector<int>(80, kept));
  TensorMap map;
  const TensorBox box{.base = out.data(), .type = Type::f32, .sizes = {30, 2}, .strides = {0, 160}, .box = {32, 1}};
  ASSERT_TRUE(make_tensor_map(map, box).ok());
  run({1}, 32, 0, in_groups, map, 2);
  std::vector<int> want(80, kept);
  for (int row = 0; row < 2; ++row)
    for (int col = 0; col < 32; ++col) want[static_cast<std::size_t>(row * 40 + col)] = 100 * row + col;
  EXPECT_EQ(out.host(), want);
}

// What the driver would refuse, one rule at a time.
TEST(Tma, MapsThatNoDriverTakes) {
  const Array<float> in(1024);
  const TensorBox good{.base = in.data(),
                       .type = Type::f32,
                       .rank = 3,
                       .sizes = {32, 8, 2},
                       .strides = {0, 128, 1024},
                       .box = {32, 8, 2},
                       .swizzle = Swizzle::b128};
  TensorMap map;
  ASSERT_TRUE(make_tensor_map(map, good).ok());
  std::vector<TensorBox> bad(14, good);
  bad[0].rank = 0;
  bad[1].rank = 6;
  bad[2].base = in.data() + 1;
  bad[3].sizes[1] = 0;
  bad[4].sizes[0] = (std::uint64_t{1} << 32) + 1;
  bad[5].strides[1] = 136;
  bad[6].strides[2] = std::uint64_t{1} << 40;
  bad[7].box[2] = 0;
  bad[8].box[1] = 257;
  bad[9].box[0] = 6;  // 24 bytes
  bad[10].box[0] = 64;
  bad[11].swizzle = Swizzle::b64;
  bad[12].swizzle = Swizzle::b32;
  bad[13].base = nullptr;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const Status status = make_tensor_map(map, bad[i]);
    EXPECT_EQ(status.code(), Code::invalid_argument) << i;
    EXPECT_FALSE(status.message().empty());
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn::emu_test
