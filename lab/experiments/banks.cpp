// The experiment "banks": the bank conflicts of a warp's access patterns, by the same arithmetic that counts those of
// traced kernels (emu/analysis.hpp). Without a pattern it compares padding with swizzling and checks the results
// against constants computed by hand; with a pattern it is a calculator.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emu/analysis.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/pattern.hpp"

namespace cairn::lab {
namespace {

struct Lesson {
  const char* what;
  const char* pattern;
  unsigned bytes;
  unsigned wavefronts, conflicts, sectors;  // by hand
};

constexpr Lesson kLessons[] = {
    {"one float for all", "0", 4, 1, 0, 1},
    {"a row of floats", "l", 4, 1, 0, 4},
    {"every second float", "l*2", 4, 2, 1, 8},
    {"a column of a 32x32 tile", "l*32", 4, 32, 31, 32},
    {"a column, rows padded to 33", "l*33", 4, 1, 0, 32},
    {"a column, swizzled", "l*32 + (5^l)", 4, 1, 0, 32},
    {"a row, swizzled", "5*32 + (l^5)", 4, 1, 0, 4},
    {"8x8 a thread, 16 threads a row", "l%16*8", 4, 4, 3, 16},
    {"the same as float4", "l%16*2", 16, 8, 4, 16},
    {"the same, 4 and 4 apart", "l%16", 16, 4, 0, 8},
    {"one float4 for all", "0", 16, 2, 0, 1},
    {"a row of float4", "l", 16, 4, 0, 16},
    {"every second float4", "l*2", 16, 8, 4, 32},
    {"a column of float4, 32x32 tile", "l*8", 16, 32, 28, 32},
    {"a column, rows padded to 36", "l*9", 16, 4, 0, 32},
    {"a column, swizzled", "l*8 + (l%8^3)", 16, 4, 0, 32},
};

emu::Request request(const std::string& pattern, unsigned bytes) {
  emu::Request out;
  out.lanes = ~0U;
  out.bytes = bytes;
  out.address = parse_pattern(pattern);
  for (std::uint64_t& address : out.address) address *= bytes;
  return out;
}

// A character for each bank: how many words it must deliver.
std::string picture(const std::array<unsigned, 32>& words) {
  std::string out;
  for (const unsigned count : words) out += count == 0 ? '.' : count < 10 ? static_cast<char>('0' + count) : '#';
  return out;
}

std::vector<Column> columns() {
  return {{"what", "a warp takes", Align::left},
          {"pattern", "lane l at", Align::left},
          {"bytes", "bytes"},
          {"wavefronts", "wavefronts"},
          {"conflicts", "conflicts"},
          {"sectors", "sectors"},
          {"banks", "words of banks 0 … 31", Align::left, 0, Audience::people},
          {"words_per_bank", "", Align::left, 0, Audience::machines}};
}

std::vector<Cell> row(const std::string& what, const std::string& pattern, const emu::Request& asked) {
  const emu::Wavefronts taken = emu::wavefronts(asked);
  const auto words = emu::words_per_bank(asked);
  return {what,
          pattern,
          std::int64_t{asked.bytes},
          std::int64_t{taken.all},
          std::int64_t{taken.conflicts()},
          std::int64_t{emu::sectors(asked)},
          picture(words),
          std::vector<double>(words.begin(), words.end())};
}

Findings lesson() {
  Findings findings;
  Report& report = findings.report;
  report.before = {
      "Shared memory has 32 banks: word i of 4 bytes lies in bank i mod 32. A bank delivers one word at a time, "
      "to any number of lanes. A request takes as many wavefronts as its fullest bank has different words; with 16 "
      "bytes a lane, lanes 0-15 and 16-31 are served in turn. Conflicts are wavefronts beyond what so many words "
      "need. Sectors, of 32 bytes, are what the same pattern moves in global memory.",
      "The last column: . nothing, # ten words or more."};
  report.table.columns = columns();
  report.table.spare = {"banks", "bytes"};
  for (const Lesson& claimed : kLessons) {
    const emu::Request asked = request(claimed.pattern, claimed.bytes);
    report.table.rows.push_back(row(claimed.what, claimed.pattern, asked));
    const emu::Wavefronts taken = emu::wavefronts(asked);
    if (taken.all == claimed.wavefronts && taken.conflicts() == claimed.conflicts &&
        emu::sectors(asked) == claimed.sectors)
      continue;
    findings.holds = false;
    report.alarms.push_back(fmt::format("FAILED: {} at {} bytes: by hand {} wavefronts, {} conflicts, {} sectors",
                                        claimed.pattern, claimed.bytes, claimed.wavefronts, claimed.conflicts,
                                        claimed.sectors));
  }
  if (!findings.holds) return findings;
  findings.conclusions = {
      "Padding against swizzle: both bring a column of a tile from 32 wavefronts to 1.",
      "Padding costs memory that is never read, and rows of 33 floats are not aligned for float4; rows of 36 are.",
      "A swizzle costs no memory and leaves rows aligned and free of conflicts; it costs an XOR in every index.",
      "Neither helps in global memory: a column there is 32 sectors."};
  return findings;
}

// Lanes down, banks across.
std::vector<std::string> grid(const emu::Request& asked) {
  std::vector<std::string> out = {"  bank    0         1         2         3",
                                  "          01234567890123456789012345678901"};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::string line(32, '.');
    const std::uint64_t first = asked.address[lane] / 4;
    for (std::uint64_t word = first; word < first + std::max(1U, asked.bytes / 4); ++word) line[word % 32] = '#';
    if (asked.bytes > 4 && lane > 0 && lane % (128 / asked.bytes) == 0)
      out.emplace_back();  // separates the parts of the warp that are served one after the other
    out.push_back(fmt::format("  lane {:2} {}  {} {}", lane, line, asked.bytes > 4 ? "from word" : "word", first));
  }
  return out;
}

std::string plural(unsigned count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Findings calculate(const std::string& pattern, unsigned bytes) {
  const emu::Request asked = request(pattern, bytes);
  const emu::Wavefronts taken = emu::wavefronts(asked);
  const auto words = emu::words_per_bank(asked);
  const auto fullest = std::ranges::max_element(words);
  const std::set<std::uint64_t> different(asked.address.begin(), asked.address.end());

  Findings findings;
  Report& report = findings.report;
  report.before = grid(asked);
  report.before.push_back(fmt::format("  words   {}  {}", picture(words),
                                      bytes > 4 ? "to deliver, in the part that takes longest" : "to deliver"));
  report.table.columns = columns();
  report.table.rows.push_back(row("as typed", pattern, asked));
  findings.conclusions = {
      fmt::format("Shared memory: {}, {} without conflicts; bank {} delivers {}{}.", plural(taken.all, "wavefront"),
                  taken.least, fullest - words.begin(), plural(*fullest, "different word"),
                  bytes > 4 ? " to one part of the warp" : ""),
      fmt::format("Global memory: {} of 32 bytes, for the {} asked for.", plural(emu::sectors(asked), "sector"),
                  plural(static_cast<unsigned>(different.size()) * bytes, "byte"))};
  return findings;
}

}  // namespace

Findings banks_experiment(const Conditions& conditions) {
  return conditions.pattern ? calculate(*conditions.pattern, conditions.bytes) : lesson();
}

}  // namespace cairn::lab
