// Sectors and wavefronts of a warp's request: numbers worked out by hand, and a slow reference on random requests.
#include "emu/analysis.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::emu {
namespace {

// Lane l at element at(l) of an array of such elements that begins at byte `start`.
Request request(unsigned bytes, const std::function<unsigned(unsigned)>& at, std::uint64_t start = 0,
                std::uint32_t lanes = ~0U) {
  Request out;
  out.lanes = lanes;
  out.bytes = bytes;
  for (unsigned l = 0; l < 32; ++l) out.address[l] = start + std::uint64_t{at(l)} * bytes;
  return out;
}

void expect_wavefronts(const Request& request, unsigned all, unsigned conflicts) {
  const Wavefronts found = wavefronts(request);
  EXPECT_EQ(found.all, all);
  EXPECT_EQ(found.conflicts(), conflicts);
}

TEST(Sectors, OfUsualPatternsAreThoseCountedByHand) {
  const auto own = [](unsigned l) { return l; };
  EXPECT_EQ(sectors(request(4, own)), 4U);
  EXPECT_EQ(sectors(request(4, own, 4)), 5U);   // misaligned by one float
  EXPECT_EQ(sectors(request(4, own, 32)), 4U);  // by a whole sector: as good as aligned
  EXPECT_EQ(sectors(request(1, own)), 1U);
  EXPECT_EQ(sectors(request(2, own)), 2U);
  EXPECT_EQ(sectors(request(8, own)), 8U);
  EXPECT_EQ(sectors(request(16, own)), 16U);
  EXPECT_EQ(sectors(request(4, [](unsigned l) { return l * 1024; })), 32U);
  EXPECT_EQ(sectors(request(4, [](unsigned) { return 7U; })), 1U);
  EXPECT_EQ(sectors(request(4, [](unsigned l) { return 31 - l; })), 4U);                // the order does not matter
  EXPECT_EQ(sectors(request(4, [](unsigned l) { return l % 4 * 1000 + l / 4; })), 4U);  // four rows of eight floats
  EXPECT_EQ(sectors(request(4, [](unsigned l) { return l * 2; })), 8U);
}

TEST(Sectors, FarApartAreNotTakenForNeighbours) {
  // The same low 37 bits, so that 32 bits of the sector's number are equal.
  const Request far = [] {
    Request out = request(4, [](unsigned) { return 0U; });
    out.address[7] = std::uint64_t{1} << 37;
    return out;
  }();
  EXPECT_EQ(sectors(far), 2U);
}

TEST(Sectors, OnlyLanesThatTakePartCount) {
  const auto own = [](unsigned l) { return l; };
  EXPECT_EQ(sectors(request(4, own, 0, 0)), 0U);
  EXPECT_EQ(sectors(request(4, own, 0, 1U << 31)), 1U);
  EXPECT_EQ(sectors(request(4, own, 0, 0xffff)), 2U);
  EXPECT_EQ(sectors(request(4, own, 0, 0x80000001U)), 2U);
  EXPECT_EQ(sectors(request(
                4, [](unsigned l) { return 31 - l; }, 0, 0x80000001U)),
            2U);
}

TEST(Wavefronts, OfFourBytesFollowTheFullestBank) {
  expect_wavefronts(request(4, [](unsigned l) { return l; }), 1, 0);
  expect_wavefronts(request(
                        4, [](unsigned l) { return l; }, 4),
                    1, 0);  // over the end of a row of the banks
  expect_wavefronts(request(4, [](unsigned l) { return l * 2; }), 2, 1);
  expect_wavefronts(request(4, [](unsigned l) { return l * 32; }), 32, 31);
  expect_wavefronts(request(4, [](unsigned l) { return l * 33; }), 1, 0);
  expect_wavefronts(request(4, [](unsigned) { return 9U; }), 1, 0);
  expect_wavefronts(request(4, [](unsigned l) { return 31 - l; }), 1, 0);
  expect_wavefronts(request(4, [](unsigned l) { return l * 32 + (l ^ 5); }), 1, 0);  // swizzled
  expect_wavefronts(request(4, [](unsigned l) { return l % 2 * 32; }), 2, 1);        // two words of one bank
  expect_wavefronts(request(4, [](unsigned l) { return (31 - l) * 8; }), 8, 7);      // steps down
}

TEST(Wavefronts, OfThreadTilesAreThoseOfTheirDifferentWords) {
  // 8 x 8 results a thread. 4 x 8 threads: 8 columns of threads, 8 words apart, meet in 4 banks.
  expect_wavefronts(request(4, [](unsigned l) { return l % 8 * 8; }), 2, 1);
  expect_wavefronts(request(4, [](unsigned l) { return l / 8 * 8; }), 1, 0);
  // 2 x 16 threads: 16 columns in the same 4 banks.
  expect_wavefronts(request(4, [](unsigned l) { return l % 16 * 8; }), 4, 3);
  expect_wavefronts(request(4, [](unsigned l) { return l / 16 * 8; }), 1, 0);
}

TEST(Wavefronts, OfSmallElementsGoByTheirWord) {
  expect_wavefronts(request(1, [](unsigned l) { return l; }), 1, 0);
  expect_wavefronts(request(2, [](unsigned l) { return l; }), 1, 0);
  expect_wavefronts(request(2, [](unsigned l) { return l * 64; }), 32, 31);
  expect_wavefronts(request(1, [](unsigned l) { return l % 4; }), 1, 0);
}

TEST(Wavefronts, OfSixteenBytesAreServedInQuarters) {
  expect_wavefronts(request(16, [](unsigned l) { return l; }), 4, 0);
  expect_wavefronts(request(
                        16, [](unsigned l) { return l; }, 16),
                    4, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l * 2; }), 8, 4);
  expect_wavefronts(request(16, [](unsigned l) { return l % 16 * 2; }), 8, 4);  // 16 lanes 32 bytes apart, twice
  expect_wavefronts(request(16, [](unsigned) { return 3U; }), 2, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l / 16; }), 2, 0);
  // Two quarters are served as one where lanes share with their neighbour, or all with the next but one.
  expect_wavefronts(request(16, [](unsigned l) { return l / 2; }), 2, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l / 4; }), 2, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l / 4 * 2 + l % 2; }), 2, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l % 2; }), 2, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l % 4; }), 4, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l % 8; }), 4, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l / 8 * 4 + l % 4; }), 4, 0);
  // The halves of the warp each for itself: only the first is shared so.
  expect_wavefronts(request(16, [](unsigned l) { return l < 16 ? l / 2 : l; }), 3, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l * 8; }), 32, 28);
  expect_wavefronts(request(16, [](unsigned l) { return l * 9; }), 4, 0);
  expect_wavefronts(request(16, [](unsigned l) { return l * 8 + (l % 8 ^ 3); }), 4, 0);  // swizzled
}

TEST(Wavefronts, OfEightBytesAreServedInHalvesUnlessNeighboursShare) {
  expect_wavefronts(request(8, [](unsigned l) { return l; }), 2, 0);
  expect_wavefronts(request(8, [](unsigned l) { return l * 2; }), 4, 2);
  expect_wavefronts(request(8, [](unsigned l) { return l * 16; }), 32, 30);
  expect_wavefronts(request(8, [](unsigned) { return 0U; }), 1, 0);
  expect_wavefronts(request(8, [](unsigned l) { return l / 4; }), 1, 0);
  expect_wavefronts(request(8, [](unsigned l) { return l / 4 * 2 + l % 2; }), 1, 0);
  expect_wavefronts(request(8, [](unsigned l) { return l % 4; }), 2, 0);
  expect_wavefronts(request(8, [](unsigned l) { return l % 16; }), 2, 0);
}

TEST(Wavefronts, OfMatricesAreServedOneByOne) {
  const auto rows = [](const std::function<unsigned(unsigned)>& at, std::uint32_t lanes = ~0U) {
    Request out = request(16, at, 0, lanes);
    out.matrices = true;
    return out;
  };
  expect_wavefronts(rows([](unsigned l) { return l; }), 4, 0);
  expect_wavefronts(rows([](unsigned l) { return l * 8; }), 32, 28);        // 128 bytes apart
  expect_wavefronts(rows([](unsigned l) { return l * 9; }), 4, 0);          // with 16 bytes of padding
  expect_wavefronts(rows([](unsigned l) { return l * 8 + l % 8; }), 4, 0);  // swizzled
  expect_wavefronts(rows([](unsigned l) { return l / 2; }), 4, 0);          // where a load of 16 bytes takes 2
  const Request one = rows([](unsigned) { return 3U; });
  expect_wavefronts(one, 4, 0);
  EXPECT_EQ(wavefronts(one, Shape::one).all, 4U);
  expect_wavefronts(rows([](unsigned l) { return l * 9; }, 0xffffU), 2, 0);
  expect_wavefronts(rows([](unsigned l) { return l * 9; }, 0xffU), 1, 0);
}

TEST(Wavefronts, OnlyLanesThatTakePartCount) {
  const auto column = [](unsigned l) { return l * 32; };
  expect_wavefronts(request(4, column, 0, 0), 0, 0);
  expect_wavefronts(request(4, column, 0, 1U << 31), 1, 0);
  expect_wavefronts(request(4, column, 0, 0xff), 8, 7);
  expect_wavefronts(request(4, column, 0, 0x80000101U), 3, 2);
  const auto own = [](unsigned l) { return l; };
  expect_wavefronts(request(16, own, 0, 0xffff), 2, 0);
  expect_wavefronts(request(16, own, 0, 0xff0000U), 1, 0);  // a part of which no lane takes part is not served
  expect_wavefronts(request(16, own, 0, 0x00010001U), 2, 0);
}

TEST(WordsPerBank, AreThoseOfTheWorstPart) {
  std::array<unsigned, 32> expected = {};
  EXPECT_EQ(words_per_bank(request(
                4, [](unsigned l) { return l; }, 0, 0)),
            expected);
  expected[3] = 32;
  EXPECT_EQ(words_per_bank(request(4, [](unsigned l) { return l * 32 + 3; })), expected);
  expected = {};
  for (const unsigned bank : {0U, 8U, 16U, 24U}) expected[bank] = 4;
  EXPECT_EQ(words_per_bank(request(4, [](unsigned l) { return l % 16 * 8; })), expected);
  expected.fill(1);
  EXPECT_EQ(words_per_bank(request(16, [](unsigned l) { return l; })), expected);
  // The first half reads one word of four banks, each quarter of the second eight of the next four.
  expected = {};
  for (const unsigned bank : {4U, 5U, 6U, 7U}) expected[bank] = 8;
  EXPECT_EQ(words_per_bank(request(16, [](unsigned l) { return l < 16 ? 0 : l * 8 + 1; })), expected);
}

// The rules once more, said as they are measured: by 32-bit words and banks, with sets.
struct Slow {
  unsigned sectors = 0, all = 0, least = 0;
  std::array<unsigned, 32> banks = {};
};

// The lanes at which the parts of a request end.
std::vector<unsigned> ends_of_parts(const Request& request) {
  if (request.bytes <= 4) return {32};
  const unsigned lanes = 128 / request.bytes;
  std::vector<unsigned> out;
  for (unsigned begin = 0; begin < 32; begin += 2 * lanes) {
    std::set<unsigned> apart = {1, 2};
    for (unsigned l = begin; l < begin + 2 * lanes; ++l) {
      for (const unsigned other : {1U, 2U}) {
        const bool both = (request.lanes >> l & 1) != 0 && (request.lanes >> (l ^ other) & 1) != 0;
        if (both && request.address[l] / request.bytes != request.address[l ^ other] / request.bytes)
          apart.erase(other);
      }
    }
    if (apart.empty()) out.push_back(begin + lanes);
    out.push_back(begin + 2 * lanes);
  }
  return out;
}

Slow by_brute_force(const Request& request) {
  Slow out;
  std::set<std::uint64_t> touched;
  unsigned begin = 0;
  for (const unsigned end : ends_of_parts(request)) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    std::set<std::uint64_t> elements;
    for (unsigned l = begin; l < end; ++l) {
      if ((request.lanes >> l & 1) == 0) continue;
      touched.insert(request.address[l] / 32);
      elements.insert(request.address[l] / std::max(4U, request.bytes));
      for (unsigned byte = 0; byte < request.bytes; ++byte) {
        const std::uint64_t word = (request.address[l] + byte) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    std::array<unsigned, 32> banks = {};
    for (const auto& [bank, words] : words_of_bank) banks[bank] = static_cast<unsigned>(words.size());
    const unsigned fullest = *std::ranges::max_element(banks);
    if (fullest > *std::ranges::max_element(out.banks)) out.banks = banks;
    out.all += fullest;
    const std::size_t row = 128 / std::max(4U, request.bytes);
    out.least += static_cast<unsigned>((elements.size() + row - 1) / row);
    begin = end;
  }
  out.sectors = static_cast<unsigned>(touched.size());
  return out;
}

// Steps, grids, swizzles and noise, whole warps and parts of them.
Request draw(std::mt19937& random) {
  const auto upto = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
  const unsigned kind = upto(4), step = upto(70), wide = 1 + upto(31), tall = upto(300), twist = upto(31);
  const unsigned span = 1U << upto(15), from = upto(200), bytes = 1U << upto(4);
  const auto at = [&](unsigned l) -> unsigned {
    if (kind == 0) return l * step;
    if (kind == 1) return (31 - l) * step;
    if (kind == 2) return l % wide * step + l / wide * tall;
    if (kind == 3) return l * 32 + (l ^ twist);
    return upto(span);
  };
  const unsigned masked = upto(3);
  const std::uint32_t lanes = masked == 0   ? static_cast<std::uint32_t>(random())
                              : masked == 1 ? (1U << upto(31)) - 1
                                            : ~0U;
  return request(bytes, at, std::uint64_t{from} * bytes, lanes);
}

TEST(Analysis, AgreesWithBruteForceOnRandomRequests) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const Request drawn = draw(random);
    const Slow slow = by_brute_force(drawn);
    const Wavefronts found = wavefronts(drawn);
    ASSERT_EQ(sectors(drawn), slow.sectors) << "round " << round;
    ASSERT_EQ(found.all, slow.all) << "round " << round << ", " << drawn.bytes << " bytes";
    ASSERT_EQ(found.least, slow.least) << "round " << round << ", " << drawn.bytes << " bytes";
    ASSERT_EQ(words_per_bank(drawn), slow.banks) << "round " << round << ", " << drawn.bytes << " bytes";
  }
}

// What the tracer says of a request beforehand saves work and alters nothing.
TEST(Analysis, OfKnownShapesIsTheSame) {
  for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
    for (unsigned from = 0; from < 40; ++from) {
      const Request row = request(
          bytes, [](unsigned l) { return l; }, std::uint64_t{from} * bytes, ~0U);
      const Slow slow = by_brute_force(row);
      EXPECT_EQ(sectors(row, Shape::row), slow.sectors) << bytes << " bytes from " << from;
      EXPECT_EQ(wavefronts(row, Shape::row).all, slow.all) << bytes << " bytes from " << from;
      EXPECT_EQ(wavefronts(row, Shape::row).least, slow.least) << bytes << " bytes from " << from;
      for (const std::uint32_t lanes : {~0U, 1U, 0x00010001U, 0xffffU, 0xff000000U}) {
        const Request one = request(
            bytes, [](unsigned) { return 3U; }, std::uint64_t{from} * bytes, lanes);
        const Slow alone = by_brute_force(one);
        EXPECT_EQ(sectors(one, Shape::one), alone.sectors) << bytes << " bytes, lanes " << lanes;
        EXPECT_EQ(wavefronts(one, Shape::one).all, alone.all) << bytes << " bytes, lanes " << lanes;
        EXPECT_EQ(wavefronts(one, Shape::one).least, alone.least) << bytes << " bytes, lanes " << lanes;
      }
    }
  }
}

}  // namespace
}  // namespace cairn::emu
