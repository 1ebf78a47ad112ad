// What a trace looks like: tables, source, pictures, page and JSON, of traces that are made here by hand.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/trace/findings.hpp"
#include "lab/trace/html.hpp"
#include "lab/trace/json.hpp"
#include "lab/trace/ratios.hpp"
#include "lab/trace/request_svg.hpp"
#include "lab/trace/run.hpp"
#include "lab/trace/show.hpp"

namespace cairn::lab::trace {
namespace {

// All 32 lanes, `stride` bytes apart.
emu::Request strided(unsigned bytes, std::uint64_t stride, std::uint64_t base = 0) {
  emu::Request request;
  request.lanes = ~0u;
  request.bytes = bytes;
  for (unsigned lane = 0; lane < 32; ++lane) request.address[lane] = base + lane * stride;
  return request;
}

emu::LineCounters counted(int line, const std::string& file = "kernels/some.cu") {
  emu::LineCounters result;
  result.place = {file, line, "some_kernel"};
  return result;
}

// Line 6 is a load of a column (32 sectors each), line 7 a store into one bank, line 9 a clean store.
Traced some_run() {
  emu::LineCounters column = counted(6), conflict = counted(7), clean = counted(9), barrier = counted(8);
  column.counters.global_load_requests = 10;
  column.counters.global_load_sectors = 320;
  column.counters.global_load_bytes = 1280;
  column.worst_global = strided(4, 4096, 0x10000);
  column.worst_global_who = "block (0,0,0), warp 3";
  conflict.counters.shared_store_requests = 10;
  conflict.counters.shared_store_wavefronts = 320;
  conflict.counters.shared_store_bank_conflicts = 310;
  conflict.counters.shared_store_bytes = 1280;
  conflict.worst_shared = strided(4, 128);
  conflict.worst_shared_who = "block (1,0,0), warp 0";
  clean.counters.global_store_requests = 100;
  clean.counters.global_store_sectors = 400;
  clean.counters.global_store_bytes = 12800;
  clean.worst_global = strided(4, 4, 0x20000);
  clean.worst_global_who = "block (0,0,0), warp 0";
  barrier.counters.barriers = 4;

  emu::KernelTrace kernel;
  kernel.name = "some_kernel<8>";
  kernel.grid = {4, 2, 1}, kernel.block = {256, 1, 1};
  kernel.launches = 1;
  kernel.lines = {column, conflict, barrier, clean};
  for (const emu::LineCounters& line : kernel.lines) kernel.counters += line.counters;
  return {"simt/99_some@1", Problem::packed(Type::f32, Op::none, Op::none, 64, 64, 64), 7, {{kernel}, {}}, ""};
}

emu::Finding race(const std::string& what, std::uint64_t times = 1) {
  emu::Finding finding;
  finding.fault = emu::Fault::race;
  finding.kernel = "some_kernel<8>";
  finding.what = what;
  finding.place = {"kernels/some.cu", 7, "some_kernel"};
  finding.other = {"kernels/some.cu", 9, "some_kernel"};
  finding.times = times;
  return finding;
}

// A folder with kernels/some.cu of twelve lines in it.
class Source : public ::testing::Test {
 protected:
  Source() : root_(std::filesystem::temp_directory_path() / ("cairn_trace_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root_ / "kernels");
    std::ofstream file(root_ / "kernels/some.cu");
    for (int line = 1; line <= 12; ++line) file << "  if (a < b && c) text(\"" << line << "\");\n";
  }
  ~Source() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  std::vector<std::string> roots() const { return {root_.string()}; }

  std::filesystem::path root_;
};

double value(const Table& table, const std::string& key) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key != key) continue;
    const Cell& cell = table.rows.at(0).at(c);
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<double>(&cell)) return *number;
  }
  ADD_FAILURE() << "no number " << key;
  return 0;
}

TEST(TraceTable, HasEveryCounterByItsNameAndTheRatios) {
  const Table table = counters_table({some_run()});
  for (const emu::CounterName& name : emu::counter_names())
    EXPECT_EQ(std::ranges::count(table.columns, std::string(name.key), &Column::key), 1) << name.key;
  EXPECT_EQ(value(table, "global_load_sectors"), 320);
  EXPECT_EQ(value(table, "barriers"), 4);
  EXPECT_EQ(value(table, "global_load_sectors_per_request"), 32);
  EXPECT_EQ(value(table, "global_store_sectors_per_request"), 4);
  EXPECT_DOUBLE_EQ(value(table, "global_bytes_asked_per_moved"), (1280 + 12800) / (32.0 * 720));
  EXPECT_EQ(value(table, "shared_store_wavefronts_per_request"), 32);
}

TEST(TraceTable, HasAColumnForEachKernelAndNoRatioOfNothing) {
  Traced run = some_run();
  run.trace.kernels.push_back(run.trace.kernels[0]);
  const Table table = counters_table({run, some_run()});
  EXPECT_EQ(table.rows.size(), 3u);
  EXPECT_TRUE(table.upright);
  EXPECT_EQ(render(table, Format::table).find("wavefronts a shared load"), std::string::npos);  // there were none
}

TEST(TraceLines, AreOrderedByTheirExcess) {
  const Traced run = some_run();
  const auto lines = worst_first(run.trace.kernels[0]);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]->place.line, 7);  // 310 conflicts
  EXPECT_EQ(lines[1]->place.line, 6);  // 320 sectors where 40 would do
  EXPECT_EQ(excess(lines[1]->counters), 280u);
  EXPECT_EQ(lines[2]->place.line, 9);  // none, but many requests
  EXPECT_EQ(excess(lines[2]->counters), 0u);
  EXPECT_EQ(lines[3]->place.line, 8);
}

// 32 lanes that read one word ask for 128 bytes and move 32.
TEST(TraceLines, AWordSharedByLanesIsNoExcess) {
  emu::Counters c;
  c.global_load_requests = 1, c.global_load_sectors = 1, c.global_load_bytes = 128;
  EXPECT_EQ(excess(c), 0u);
}

TEST(TraceLines, TheWorstRequestIsTheOneThatWastesMost) {
  const Traced run = some_run();
  EXPECT_EQ(worst_global(run.trace.kernels[0])->place.line, 6);
  EXPECT_EQ(worst_shared(run.trace.kernels[0])->place.line, 7);
  EXPECT_EQ(worst_global(emu::KernelTrace{}), nullptr);
}

TEST_F(Source, ListsTheRegionAroundWhatWasCounted) {
  const Traced run = some_run();
  const auto all = listings(run.trace.kernels[0], roots());
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].lines.size(), 10u);  // 3 … 12
  EXPECT_EQ(all[0].lines.front().number, 3);
  EXPECT_EQ(all[0].lines.front().seen, nullptr);
  ASSERT_NE(all[0].lines[3].seen, nullptr);
  EXPECT_EQ(all[0].lines[3].seen->place.line, 6);
  EXPECT_EQ(text_of(all, {"kernels/some.cu", 6, ""}), "if (a < b && c) text(\"6\");");
}

TEST_F(Source, PutsTheCountsInTheMargin) {
  const auto sections = lines_report({some_run()}, roots());
  ASSERT_EQ(sections.size(), 2u);
  const std::string listing = render(sections[1].table, Format::table);
  EXPECT_NE(listing.find("\n    10    32.00                                    6    if (a < b"), std::string::npos)
      << listing;
  EXPECT_NE(listing.find("kernels/some.cu"), std::string::npos);
}

TEST_F(Source, SaysSoWhereAFileIsMissingOrHasChanged) {
  const auto missing = lines_report({some_run()}, {(root_ / "nowhere").string()});
  EXPECT_NE(missing.back().heading.find("kernels/some.cu cannot be read"), std::string::npos);
  Traced longer = some_run();
  longer.trace.kernels[0].lines.push_back(counted(13));
  EXPECT_NE(lines_report({longer}, roots()).back().heading.find("cannot be read"), std::string::npos);
}

TEST(TraceFindings, AreOneLineEachAndCounted) {
  Traced run = some_run();
  EXPECT_TRUE(alarms({run}).empty());
  run.trace.findings = {race("a.cu:7 against a.cu:9", 12), race("another")};
  run.trace.findings.push_back({emu::Fault::unwritten, "", "words of C", {}, {}, 1});
  run.failure = "C(0, 0) is 1";
  const auto lines = alarms({run});
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "race: kernel some_kernel<8>: a.cu:7 against a.cu:9 (12 times)");
  EXPECT_EQ(lines[2], "unwritten: words of C");
  EXPECT_EQ(lines[3], "FAILED simt/99_some@1, f32 nn 64x64x64: C(0, 0) is 1");
  EXPECT_EQ(lines[4], "3 findings: 2 race, 1 unwritten");
}

TEST(TracePictures, TellTheTurnOfEachLane) {
  const auto one_bank = turns(strided(4, 128));
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(one_bank[static_cast<std::size_t>(lane)], lane);
  EXPECT_EQ(std::ranges::count(turns(strided(4, 4)), 0), 32);
  EXPECT_EQ(std::ranges::count(turns(strided(4, 0)), 0), 32);  // one word for all
  const auto pairs = turns(strided(4, 8));                     // lanes 0 and 16 meet in bank 0
  EXPECT_EQ(std::ranges::count(pairs, 0), 16);
  EXPECT_EQ(std::ranges::count(pairs, 1), 16);
  emu::Request few = strided(4, 4);
  few.lanes = 3;
  EXPECT_EQ(std::ranges::count(turns(few), -1), 30);
}

int count(const std::string& text, const std::string& pattern) {
  const std::regex what(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()));
}

TEST(TracePictures, HaveARowForEachLane) {
  const std::string banks = bank_picture(strided(4, 128));
  EXPECT_EQ(count(banks, "<g class=\"lane\""), 32);
  EXPECT_EQ(count(banks, "class=\"word\""), 32);
  EXPECT_EQ(count(bank_picture(strided(16, 16)), "class=\"word\""), 128);  // four banks a lane
  const std::string column = sector_picture(strided(4, 4096));
  EXPECT_EQ(count(column, "<g class=\"lane\""), 32);
  EXPECT_EQ(count(column, "class=\"moved\""), 32);
  const std::string row = sector_picture(strided(4, 4));
  EXPECT_EQ(count(row, "class=\"moved\""), 4);
  EXPECT_EQ(count(row, "class=\"idle\""), 0);
}

// Every tag that is opened is closed, in order. Attributes here hold no '>'.
void expect_balanced(const std::string& page) {
  static const std::regex tag("<(/?)([a-z0-9]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator at(page.begin(), page.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if ((*at)[3] == "/" || name == "meta" || name == "wbr") continue;
    if ((*at)[1] != "/") {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty()) << (*at).str();
      ASSERT_EQ(open.back(), name) << "at " << (*at).position();
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST_F(Source, ThePageIsWholeEscapedAndNeedsNothingElse) {
  Traced run = some_run();
  run.trace.findings = {race("<b>both</b> & more")};
  const std::string page = to_html({run}, roots());
  expect_balanced(page);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt;both&lt;/b&gt; &amp; more"), std::string::npos);
  EXPECT_NE(page.find("some_kernel&lt;8&gt;"), std::string::npos);
  EXPECT_NE(page.find("if (a &lt; b &amp;&amp; c) text(&quot;6&quot;);"), std::string::npos);
  EXPECT_EQ(count(page, "<svg "), 2);
  EXPECT_EQ(count(page, "https?://|<script|<link|src=|@import|url\\("), 0);
  for (const char* word : {"f32 nn 64x64x64", "seed 7", "<dt>sector</dt>", "<dt>request</dt>", "<dt>wavefront</dt>"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

// Names break between their parts, titles stay while the kernels are scrolled, and paper has no scroll bar.
TEST_F(Source, ThePageOfSeveralKernelsCutsNoneOff) {
  Traced run = some_run();
  run.trace.kernels.at(0).name = "cairn::simt_12::simt_12_a_transposed_vec4<0, true, 256>";
  const std::string page = to_html({run, run, run}, roots());
  expect_balanced(page);
  EXPECT_EQ(count(page, "<td>cairn::<wbr>simt_12::<wbr>simt_12_a_transposed_vec4&lt;0, true, 256&gt;</td>"), 3);
  for (const char* rule : {"overflow-wrap: anywhere", "position: sticky", "@media print { .wide { overflow: visible"})
    EXPECT_NE(page.find(rule), std::string::npos) << rule;
}

// 16 requests of warps with 4 sectors each, and 2 boxes of 256.
TEST(Ratios, ATmaRequestIsABoxAndCountedApart) {
  emu::Counters counters;
  counters.global_load_requests = 18, counters.global_load_sectors = 16 * 4 + 2 * 256;
  counters.tma_load_requests = 2, counters.tma_load_sectors = 2 * 256;
  EXPECT_EQ(ratio("global_load_sectors_per_request").of(counters), 4);
  EXPECT_EQ(ratio("tma_load_sectors_per_request").of(counters), 256);
  counters = {};
  counters.global_load_requests = counters.tma_load_requests = 2;
  EXPECT_FALSE(ratio("global_load_sectors_per_request").of(counters));
}

TEST(TraceJson, HasItsKeys) {
  Traced run = some_run();
  run.trace.findings = {race("both")};
  const auto all = nlohmann::json::parse(to_json({run}));
  EXPECT_EQ(all.at("schema"), 1);
  EXPECT_EQ(all.at("kind"), "trace");
  EXPECT_TRUE(all.contains("command"));
  const auto& kernel = all.at("kernels").at(0);
  EXPECT_EQ(kernel.at("rung"), "simt/99_some@1");
  EXPECT_EQ(kernel.at("name"), "some_kernel<8>");
  EXPECT_EQ(kernel.at("grid"), nlohmann::json({4, 2, 1}));
  EXPECT_EQ(kernel.at("counters").at("global_load_sectors"), 320);
  EXPECT_EQ(kernel.at("ratios").at("global_load_sectors_per_request"), 32.0);
  EXPECT_TRUE(kernel.at("ratios").at("shared_load_wavefronts_per_request").is_null());
  EXPECT_EQ(kernel.at("lines").at(0).at("line"), 7);
  EXPECT_EQ(kernel.at("lines").at(0).at("excess"), 310);
  const auto& finding = all.at("findings").at(0);
  EXPECT_EQ(finding.at("fault"), "race");
  EXPECT_EQ(finding.at("other").at("line"), 9);
  EXPECT_TRUE(all.at("failures").empty());
}

// The whole way, where this build has the traced emulator: a warp of rung 02 reads 4 sectors of B and 1 of A.
TEST(TraceRun, CountsARung) {
  if (!available()) GTEST_SKIP() << "this build has no traced emulator";
  const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, 64, 64, 64);
  const Traced run = trace_contender("simt/02_coalesced", problem, 3, {});
  EXPECT_EQ(run.failure, "");
  EXPECT_TRUE(alarms({run}).empty()) << alarms({run})[0];
  ASSERT_EQ(run.trace.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(*ratio("global_load_sectors_per_request").of(total(run.trace)), 2.5);
  EXPECT_DOUBLE_EQ(*ratio("global_store_sectors_per_request").of(total(run.trace)), 4);
}

}  // namespace
}  // namespace cairn::lab::trace
