// Rungs with a bug put back that was found in a published kernel (mutants.cmake), on both emulators: each must be
// caught, by a wrong C, by a report, or by a finding that names the lines of the rung; where the bug does not show,
// the mutant is right; and the rung as it is passes everything that its mutants fail.
#include <cstdint>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "emu/trace.hpp"
#include "kernels/ladder.hpp"

extern "C" const cairn::emu::Entry* cairn_emu_plain_mutants(void);
extern "C" const cairn::emu::TracedEntry* cairn_emu_traced_mutants(void);

namespace cairn {
namespace {

constexpr std::uint64_t kSeeds[] = {1, 2, 3};  // of the order in which threads run

struct Shape {
  std::int64_t m, n, k;
};

const Rung& rung(const emu::Entry& emulator, std::string_view id) {
  std::size_t count = 0;
  const auto* first = static_cast<const Rung* const*>(emulator.ladder(&count));
  for (const Rung* rung : Ladder(first, count))
    if (rung->id == id) return *rung;
  throw std::runtime_error("no ladder of this test has " + std::string(id));
}

// A packed matrix of f32 on an emulated device.
class Matrix {
 public:
  Matrix(const emu::Entry& emulator, std::int64_t elements)
      : emulator_(emulator), values_(static_cast<std::size_t>(elements)) {
    EXPECT_TRUE(emulator_.allocate(bytes(), &device_).ok());
  }
  ~Matrix() { EXPECT_TRUE(emulator_.free(device_).ok()); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // Small integers in no simple pattern: every sum of products is exact, whatever its order.
  void draw(std::uint64_t seed) {
    for (float& value : values_) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<float>(static_cast<int>(seed >> 60) - 8);
    }
    EXPECT_TRUE(emulator_.copy_in(device_, values_.data(), bytes()).ok());
  }
  void fetch() { EXPECT_TRUE(emulator_.copy_out(values_.data(), device_, bytes()).ok()); }
  void* device() const { return device_; }
  float at(std::int64_t index) const { return values_[static_cast<std::size_t>(index)]; }

 private:
  std::size_t bytes() const { return values_.size() * sizeof(float); }

  const emu::Entry& emulator_;
  std::vector<float> values_;
  void* device_ = nullptr;
};

// The first element of C that is wrong, in words; empty if there is none.
std::string wrong(const Shape& s, const Matrix& A, const Matrix& B, const Matrix& C) {
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < s.k; ++k) sum += A.at(i * s.k + k) * B.at(k * s.n + j);
      if (C.at(i * s.n + j) == sum) continue;
      return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(C.at(i * s.n + j)) +
             "; it should be " + std::to_string(sum);
    }
  }
  return "";
}

// C = A B with a tile of a rung: the launch's report, or what is wrong with C, or nothing.
std::string run(const emu::Entry& emulator, std::string_view id, int tile, const Shape& s, std::uint64_t seed) {
  emulator.configure({.seed = seed, .threads = 1});
  Matrix A(emulator, s.m * s.k), B(emulator, s.k * s.n), C(emulator, s.m * s.n);
  A.draw(seed), B.draw(~seed);
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, s.m, s.n, s.k);
  Status status = rung(emulator, id).launch({p, 1, A.device(), B.device(), 0, C.device()}, tile, nullptr);
  const Status late = emulator.take_error();
  if (status.ok()) status = late;
  if (!status.ok()) return status.message();
  C.fetch();
  return wrong(s, A, B, C);
}

// The same on the plain emulator.
std::string plain(std::string_view id, const Shape& s, std::uint64_t seed, int tile = 0) {
  return run(id.starts_with("mutant/") ? *cairn_emu_plain_mutants() : *cairn_emu_plain(), id, tile, s, seed);
}

struct Traced {
  std::string failure;  // as above
  std::vector<emu::Finding> findings;

  std::string all() const {
    std::string text = failure;
    for (const emu::Finding& f : findings)
      text += (text.empty() ? "" : "\n") + std::string(name(f.fault)) + ": " + f.what;
    return text;
  }
};

// And on the traced one, under all detectors.
Traced traced(std::string_view id, const Shape& s, std::uint64_t seed, int tile = 0) {
  const emu::TracedEntry& entry = id.starts_with("mutant/") ? *cairn_emu_traced_mutants() : *cairn_emu_traced();
  entry.begin({});
  Traced result;
  result.failure = run(entry.emulator, id, tile, s, seed);
  emu::Trace trace;
  entry.take(trace);
  result.findings = trace.findings;
  return result;
}

// Nothing is wrong, on either emulator.
void expect_honest(std::string_view id, const Shape& s, int tile = 0) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(plain(id, s, seed, tile), "") << id << ", k " << s.k << ", seed " << seed;
    EXPECT_EQ(traced(id, s, seed, tile).all(), "") << id << ", k " << s.k << ", seed " << seed;
  }
}

// A line of the tree, by its end, that no other line of the file has.
struct Line {
  const char *file, *end;

  std::string place() const {
    std::ifstream in(std::string(CAIRN_SOURCE_DIR) + "/" + file);
    int number = 0, found = 0, times = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.ends_with(end)) found = number, ++times;
    }
    EXPECT_EQ(times, 1) << file << " has so many lines that end in " << end;
    return std::string(file) + ":" + std::to_string(found);
  }
};

std::string text_of(const emu::Place& place) { return place.file + ":" + std::to_string(place.line); }

// Whether a finding of the kind is about the two lines, whichever was caught at the other, and says `words`.
bool names(const Traced& seen, emu::Fault fault, const Line& one, const Line& two, std::string_view words) {
  const std::string a = one.place(), b = two.place();
  for (const emu::Finding& f : seen.findings) {
    const std::string place = text_of(f.place), other = text_of(f.other);
    const bool both = (place == a && other == b) || (place == b && other == a);
    if (f.fault == fault && both && f.what.find(words) != std::string::npos) return true;
  }
  return false;
}

// Where 21 copies words of A, and where all of these rungs read their tiles.
constexpr Line kCopy = {"kernels/simt/21_cp_async.cu", "A + i * step_a * g.lda + 8 * j);"};
constexpr Line kLoad = {"device/vec.hpp", "if constexpr (vector) return *reinterpret_cast<const float4*>(from);"};

// A tile of 17 is 16 deep: with one of them nobody writes over anything.
TEST(RungMutants, ABarrierOfTheWarpIsARace) {
  constexpr Line kStore = {"kernels/simt/17_warp_tile_vec4.cu", "sA[row][col] = v.x;"};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/syncwarp", {128, 128, 48}, seed), "");
    EXPECT_EQ(plain("mutant/syncwarp", {128, 128, 16}, seed), "");
    const Traced seen = traced("mutant/syncwarp", {128, 128, 32}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kStore, kLoad, "nothing between them that orders the two"))
        << seen.all();
    EXPECT_EQ(traced("mutant/syncwarp", {128, 128, 16}, seed).all(), "");
  }
  expect_honest("simt/17_warp_tile_vec4", {128, 128, 32});
}

// A tile of 19 is 8 deep.
TEST(RungMutants, AFixedLastBufferIsWrongForOddNumbersOfTiles) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t tiles : {1, 3, 5})
      EXPECT_NE(plain("mutant/tail_buffer", {128, 128, 8 * tiles}, seed), "");
    for (const std::int64_t tiles : {2, 4}) EXPECT_EQ(plain("mutant/tail_buffer", {128, 128, 8 * tiles}, seed), "");
  }
  for (const std::int64_t tiles : {1, 2, 3}) expect_honest("simt/19_double_buffer", {128, 128, 8 * tiles});
}

// A tile of 21 is 16 deep. With one tile the group that is left out is an empty one; with two stages none is left
// out.
TEST(RungMutants, AWaitThatLeavesOutTheLastTileReadsWhatHasNotArrived) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t k : {32, 80}) EXPECT_NE(plain("mutant/short_wait", {128, 128, k}, seed), "") << k;
    const Traced seen = traced("mutant/short_wait", {128, 128, 32}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kCopy, kLoad, "has arrived")) << seen.all();
    EXPECT_EQ(plain("mutant/short_wait", {128, 128, 16}, seed), "") << "one tile";
    EXPECT_EQ(plain("mutant/short_wait", {128, 128, 80}, seed, 1), "") << "two stages";
  }
  for (const std::int64_t k : {16, 32, 80}) expect_honest("simt/21_cp_async", {128, 128, k});
}

// Of three stages the first is filled anew for the fourth tile.
TEST(RungMutants, AStageRefilledBeforeTheBarrierIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/early_refill", {128, 128, 64}, seed), "");
    const Traced seen = traced("mutant/early_refill", {128, 128, 64}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kCopy, kLoad, "nothing between them that orders the two"))
        << seen.all();
    EXPECT_EQ(traced("mutant/early_refill", {128, 128, 48}, seed).all(), "") << "no stage is filled twice";
  }
  expect_honest("simt/21_cp_async", {128, 128, 64});
}

// No address shows it: the words lie side by side on a stack. (So it is not run on the plain emulator.)
TEST(RungMutants, ARegisterTileOfAnotherTileIsIndexedPastItsEnd) {
  constexpr Line kSum = {"kernels/simt/17_warp_tile_vec4.cu", "acc[i][j] += rA[i] * rB[j];"};
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/register_tile", {128, 128, 16}, seed);
    ASSERT_EQ(seen.findings.size(), 1u) << seen.all();
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::register_array);
    EXPECT_EQ(text_of(seen.findings[0].place), kSum.place());
    EXPECT_NE(seen.all().find("index 8 is outside of the array"), std::string::npos) << seen.all();
    EXPECT_EQ(traced("mutant/register_tile", {128, 128, 16}, seed, 1).all(), "") << "the tile that it is right for";
  }
  expect_honest("simt/17_warp_tile_vec4", {128, 128, 16});
}

// Hardware often lets it pass: a GPU does not wait for threads that have returned.
TEST(RungMutants, AReturnBeforeABarrierIsReported) {
  constexpr Line kBarrier = {"kernels/simt/06_thread_tile_1d.cu", "__syncthreads();"};
  for (const std::uint64_t seed : kSeeds) {
    const std::string report = plain("mutant/early_return", {40, 64, 16}, seed);
    for (const std::string& words : {"waiting at __syncthreads, " + kBarrier.place() + " ", std::string("returned")})
      EXPECT_NE(report.find(words), std::string::npos) << report;
    const Traced seen = traced("mutant/early_return", {40, 64, 16}, seed);
    ASSERT_EQ(seen.findings.size(), 1u) << seen.all();
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::barrier);
    EXPECT_EQ(plain("mutant/early_return", {64, 64, 16}, seed), "") << "whole tiles do not show it";
  }
  expect_honest("simt/06_thread_tile_1d", {40, 64, 16});
}

// One that is added to the table must be caught above, and named here.
TEST(RungMutants, AreAllLookedAt) {
  std::set<std::string> there;
  for (const emu::Entry* emulator : {cairn_emu_plain_mutants(), &cairn_emu_traced_mutants()->emulator}) {
    std::size_t count = 0;
    const auto* first = static_cast<const Rung* const*>(emulator->ladder(&count));
    for (const Rung* rung : Ladder(first, count)) there.emplace(rung->id);
  }
  EXPECT_EQ(there, (std::set<std::string>{"mutant/syncwarp", "mutant/tail_buffer", "mutant/short_wait",
                                          "mutant/early_refill", "mutant/register_tile", "mutant/early_return"}));
}

}  // namespace
}  // namespace cairn
