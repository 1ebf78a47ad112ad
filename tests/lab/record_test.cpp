// Records: what is written is read back, what follows from the samples is what a hand computes, and a file that is
// not quite a record is refused with one line that says where.
#include "lab/record/record.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/view.hpp"
#include "tests/lab/some_record.hpp"
#include "tests/support/row_objects.hpp"

namespace cairn::lab::record {
namespace {

using nlohmann::json;
using testing::with_row_objects;

Record full_record() {
  Row timed = some_row("simt/04_block_tile", small_product(), {1, 1.1, 1.2, 9});
  timed.details = "tile 0";
  timed.settled = true;
  timed.first = {0.5, -3, 0.1f};
  timed.vitals = {1980, 1200, 1985, 650.5, 700, 71, {"power cap", "thermal"}};
  timed.counters = {{"flops", 2e9}, {"bank_conflicts", 0.25}};
  Row refused;
  refused.id = "simt/01_naive", refused.work = "product", refused.problem = small_product().full();
  refused.refused = "it takes f32, \"nn\"";
  Row failed = some_row("simt/02_coalesced", small_product(), {});
  failed.verified = "C[0, 3] is 7; it must be 8";
  failed.first = {std::nan("")};
  return some_record({some_row("cublas/b", small_product(), {4, 4, 4}, true), timed, refused, failed,
                      some_row("cublas/a", small_product(), {2, 2.2, 2.1}, true)});
}

TEST(Record, IsReadBackAsItWasWritten) {
  Record record = full_record();
  record.ceilings.mma_tflops = {{"bf16", 612.5}, {"tf32", 300}};
  record.ceilings.wgmma_tflops = {{"bf16", 800.25}, {"e4m3", 1600}};
  const Record back = from_json(to_json(record), "x.json");
  EXPECT_EQ(back.schema, 2);
  EXPECT_EQ(back.kind, "bench");
  EXPECT_EQ(back.command, record.command);
  EXPECT_EQ(back.created, record.created);
  EXPECT_EQ(back.seed, record.seed);
  EXPECT_EQ(back.build.commit, record.build.commit);
  EXPECT_EQ(back.build.compiler, "GCC 13.3.0");
  EXPECT_TRUE(back.build.cuda);
  EXPECT_FALSE(back.build.openblas);
  EXPECT_EQ(back.machine.kind, runtime::Kind::gpu);
  EXPECT_EQ(back.machine.name, "NVIDIA H200");
  EXPECT_EQ(back.machine.memory_bytes, 150'109'880'320);
  EXPECT_EQ(back.method.cache, "cold");
  EXPECT_EQ(back.method.precision, 0.005);
  EXPECT_EQ(back.ceilings.copy_gbytes, 4000);
  EXPECT_EQ(back.ceilings.mma_tflops, record.ceilings.mma_tflops);
  EXPECT_EQ(back.ceilings.wgmma_tflops, record.ceilings.wgmma_tflops);
  EXPECT_EQ(back.notes, record.notes);
  ASSERT_EQ(back.rows.size(), 5u);
  EXPECT_TRUE(back.rows[0].baseline);
  const Row& timed = back.rows[1];
  EXPECT_EQ(timed.problem, small_product().brief());
  EXPECT_EQ(timed.details, "tile 0");
  EXPECT_EQ(timed.runs, 10);
  EXPECT_EQ(timed.host_us, 4.5);
  EXPECT_TRUE(timed.settled);
  EXPECT_EQ(timed.samples_ms, record.rows[1].samples_ms);
  EXPECT_EQ(static_cast<float>(timed.first.at(2)), 0.1f);
  EXPECT_EQ(timed.vitals.power_w, 650.5);
  EXPECT_EQ(timed.vitals.throttled, record.rows[1].vitals.throttled);
  EXPECT_EQ(timed.counters, record.rows[1].counters);
  EXPECT_EQ(back.rows[2].refused, "it takes f32, \"nn\"");
  EXPECT_EQ(back.rows[3].verified, record.rows[3].verified);
  EXPECT_TRUE(back.rows[3].first.empty()) << "a NaN has no place in JSON";
  EXPECT_EQ(to_json(back), to_json(record));
}

// Records from before there was such a thing are not sustained, and keep their text.
TEST(Record, SustainedIsWrittenOnlyWhereItIs) {
  Record record = some_record();
  EXPECT_EQ(to_json(record).find("sustained"), std::string::npos);
  EXPECT_FALSE(from_json(to_json(record), "x.json").method.sustained);
  record.method.sustained = true;
  EXPECT_EQ(json::parse(to_json(record))["method"]["sustained"], true);
  EXPECT_TRUE(from_json(to_json(record), "x.json").method.sustained);
  EXPECT_EQ(to_json(from_json(to_json(record), "x.json")), to_json(record));
}

TEST(Record, TheTableSaysThatItWasSustained) {
  Record record = some_record();
  EXPECT_EQ(view(record).before.at(0).find("SUSTAINED"), std::string::npos);
  record.method.sustained = true;
  EXPECT_NE(view(record).before.at(0).find("cold caches, SUSTAINED load"), std::string::npos);
}

TEST(Record, ARowIsOneLineAndSamplesAreKeptToTheNanosecond) {
  const std::string text = to_json(some_record({some_row("a", small_product(), {1.23456789, 0.1 + 0.2, 1e-6})}));
  EXPECT_NE(text.find(",[1.234568,0.3,1e-06]]\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("]\n]\n}\n"));
  const std::string longer = to_json(some_record({some_row("a", small_product(), std::vector<double>(1000, 1.5))}));
  EXPECT_EQ(std::count(longer.begin(), longer.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
}

// Of {1, 1.1, 1.2, 9} ms the median is 1.15; the quarters are 1.075 and 3.15. Round by round cublas/a, the stronger
// of the two baselines, takes 2/1, 2.2/1.1 and 2.1/1.2 times as long.
TEST(Record, DerivedNumbersAreThoseOfAHand) {
  const json row = with_row_objects(to_json(full_record()))["rows"][1];
  const auto near = [&](const char* key, double value) {
    EXPECT_NEAR(row.at(key).get<double>(), value, 1e-5 * value) << key;
  };
  near("median_ms", 1.15);
  near("min_ms", 1);
  near("spread_percent", 100 * 2.075 / 1.15);
  near("tflops", 2 / 1.15);
  near("gbytes", 12 / 1.15);
  EXPECT_EQ(row["baseline_id"], "cublas/a");
  EXPECT_EQ(row["is_baseline"], false);
  near("ratio", 2);
  near("ratio_low", 1.75);
  near("ratio_high", 2.01);  // at least 0.5 % above the median
  near("percent_of_ceiling", 100 * 2 / 1.15 / 50);
  near("percent_of_datasheet", 100 * 2 / 1.15 / 67);
  // Only what was timed implies anything, and each row what its own samples do.
  const json rows = with_row_objects(to_json(full_record()))["rows"];
  EXPECT_FALSE(rows[3].contains("median_ms"));
  EXPECT_EQ(rows[4].at("median_ms"), 2.1);
}

// What a reader would not notice in the samples it must not find in the numbers beside them.
TEST(Record, DerivedNumbersInAFileAreNotBelieved) {
  json file = with_row_objects(to_json(full_record()));
  file["rows"][1]["median_ms"] = 0.001;
  const Record record = from_json(file.dump(), "x.json");
  EXPECT_DOUBLE_EQ(summarize(record).at(1).median_ms, 1.15);
}

// The one line an Error carries.
std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Record, WhatIsNotARecordIsRefusedWithThePlace) {
  const struct {
    const char *pointer, *value, *message;
  } planted[] = {
      {"/schema", "3", "x.json: schema 3 is newer than this cairn reads (2); use a newer cairn"},
      {"/schema", "0", "x.json: schema is 0; it must be an integer, 1 or more"},
      {"/schema", "\"1\"", "x.json: schema is \"1\"; it must be an integer, 1 or more"},
      {"/kind", "\"guess\"", "x.json: kind is \"guess\"; it must be one of bench, host, profile"},
      {"/kind", "7", "x.json: kind is 7; it must be a text"},
      {"/seed", "-1", "x.json: seed is -1; it must be an integer"},
      {"/machine/kind", "\"tpu\"", "x.json: machine.kind is \"tpu\"; it must be cpu, gpu or emu"},
      {"/machine/units", "1e3", "x.json: machine.units is 1000.0; it must be an integer, 0 or more"},
      {"/machine/units", "99999999999", "x.json: machine.units is 99999999999; it must be an integer, 0 or more"},
      {"/build/cuda", "1", "x.json: build.cuda is 1; it must be true or false"},
      {"/method/sustained", "1", "x.json: method.sustained is 1; it must be true or false"},
      {"/method/sustain", "true", "x.json: method has a key \"sustain\" that no record of schema 2 has"},
      {"/ceilings/fma_tflops", "-1", "x.json: ceilings.fma_tflops is -1; it must be a number, 0 or more"},
      {"/ceilings/mma_tflops/f32", "1", "x.json: ceilings.mma_tflops has a key \"f32\" that no record"},
      {"/ceilings/mma_tflops/f16", "0", "x.json: ceilings.mma_tflops.f16 is 0; it must be a positive number"},
      {"/ceilings/wgmma_tflops/f32", "1", "x.json: ceilings.wgmma_tflops has a key \"f32\" that no record"},
      {"/ceilings/wgmma_tflops/e4m3", "0", "x.json: ceilings.wgmma_tflops.e4m3 is 0; it must be a positive number"},
      {"/notes/0", "null", "x.json: notes[0] is null; it must be a text"},
      {"/rows", "{}", "x.json: rows is {}; it must be a list"},
      {"/rows/1", "3", "x.json: rows[1] is 3; it must be an object"},
      {"/rows/1/id", "\"\"", "x.json: rows[1].id is \"\"; it must be a text that is not empty"},
      {"/rows/1/work", "\"play\"", "x.json: rows[1].work is \"play\"; it must be one of product, move, probe"},
      {"/rows/1/problem", "\"f32 zz 8\"", "x.json: rows[1].problem is \"f32 zz 8\", which is no problem: "},
      {"/rows/1/samples_ms/2", "0", "x.json: rows[1].samples_ms[2] is 0; it must be a positive number"},
      {"/rows/1/samples_ms/2", "-1.5", "x.json: rows[1].samples_ms[2] is -1.5; it must be a positive number"},
      {"/rows/1/samples_ms/2", "null", "x.json: rows[1].samples_ms[2] is null; it must be a positive number"},
      {"/rows/1/samples_ms", "1", "x.json: rows[1].samples_ms is 1; it must be a list"},
      {"/rows/1/counters/flops", "[]", "x.json: rows[1].counters.flops is []; it must be a number"},
      {"/vitals/0/throttled", "\"no\"", "x.json: vitals[0].throttled is \"no\"; it must be a list"},
      {"/rows/1/vitals", "1", "x.json: rows[1].vitals is 1, and the record has 1 vitals"},
      {"/rows/1/vitals", "-1", "x.json: rows[1].vitals is -1; it must be an integer, 0 or more"},
      {"/rows/1/vitals", "{}", "x.json: rows[1].vitals.sm_mhz is missing"},
      {"/rows/1/sample_count", "4", "x.json: rows[1].sample_count belongs to records whose method.samples is"},
      {"/method/samples", "\"some\"", "x.json: method.samples is \"some\"; it must be one of summary"},
      {"/method/samples", "\"summary\"", "x.json: rows[0].samples_ms is there, but method.samples is \"summary\""},
      {"/rows/1/sample_ms", "[1]", "x.json: rows[1] has a key \"sample_ms\" that no record of schema 2 has"},
      {"/colour", "1", "x.json: the record has a key \"colour\" that no record of schema 2 has"},
  };
  const json good = with_row_objects(to_json(full_record()));
  ASSERT_EQ(complaint([&] { from_json(good.dump(), "x.json"); }), "nothing was wrong");
  for (const auto& [pointer, value, message] : planted) {
    json bad = good;
    bad[json::json_pointer(pointer)] = json::parse(value);
    const std::string said = complaint([&] { from_json(bad.dump(), "x.json"); });
    EXPECT_TRUE(said.starts_with(message)) << pointer << " = " << value << ": " << said;
  }
}

// Every key but those that may be absent: each is taken away once.
TEST(Record, EveryMissingKeyIsNamed) {
  const json good = with_row_objects(to_json(full_record()));
  const auto without = [&](const std::string& object, const std::string& key, const std::string& path) {
    json bad = good;
    bad[json::json_pointer(object)].erase(key);
    EXPECT_EQ(complaint([&] { from_json(bad.dump(), "x.json"); }), "x.json: " + path + " is missing");
  };
  for (const char* key :
       {"kind", "command", "created", "seed", "build", "machine", "method", "ceilings", "notes", "rows"}) {
    without("", key, key);
  }
  for (const std::string part : {"build", "machine", "method", "ceilings"}) {
    for (const auto& [key, value] : good[part].items()) without("/" + part, key, part + "." + key);
  }
  for (const char* key : {"id", "work", "is_baseline", "problem", "verified", "via", "runs", "sets", "host_us",
                          "settled", "samples_ms"}) {
    without("/rows/1", key, std::string("rows[1].") + key);
  }
  for (const auto& [key, value] : good["vitals"][0].items()) without("/vitals/0", key, "vitals[0]." + key);
}

// Rows of values are refused where they do not fit their columns.
TEST(Record, ColumnsThatDoNotFitAreRefused) {
  const json good = json::parse(to_json(full_record()));
  const auto said = [&](const char* pointer, const char* value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = json::parse(value);
    return complaint([&] { from_json(bad.dump(), "x.json"); });
  };
  ASSERT_EQ(good["columns"][0], "id");
  EXPECT_EQ(said("/columns", "[\"id\"]").substr(0, 22), "x.json: rows[0] has 27");
  EXPECT_EQ(said("/columns", "3"), "x.json: columns is 3; it must be a list");
  EXPECT_EQ(said("/columns/1", "\"id\""), "x.json: columns has \"id\" twice");
  EXPECT_EQ(said("/columns/1", "7"), "x.json: columns[1] is 7; it must be a text");
  EXPECT_EQ(said("/columns/1", "\"colour\""), "x.json: rows[0] has a key \"colour\" that no record of schema 2 has");
  EXPECT_EQ(said("/rows/0/0", "null"), "x.json: rows[0].id is missing");
  json bare = good;
  bare.erase("columns");
  EXPECT_EQ(complaint([&] { from_json(bare.dump(), "x.json"); }), "x.json: columns is missing");
}

// A file of schema 1 has rows as objects, vitals in each, and problems in their full form.
TEST(Record, SchemaOneIsStillRead) {
  json old = with_row_objects(to_json(full_record()));
  old["schema"] = 1;
  for (auto& row : old["rows"]) {
    row["problem"] = small_product().full();
    if (row.contains("vitals")) row["vitals"] = old["vitals"][0];
  }
  old.erase("vitals"), old.erase("columns");
  const Record back = from_json(old.dump(), "x.json");
  EXPECT_EQ(back.schema, 1);
  EXPECT_EQ(back.rows.at(1).vitals, full_record().rows[1].vitals);
  EXPECT_EQ(to_json(back), to_json(full_record())) << "and written again in the present schema";
}

TEST(Record, WhatIsNotJsonIsRefusedWithThePlace) {
  const auto said = [](const std::string& text) { return complaint([&] { from_json(text, "x.json"); }); };
  EXPECT_EQ(said(""), "x.json is not JSON: line 1, column 1");
  EXPECT_EQ(said("{\n  \"schema\": 1,\n  oops\n}"), "x.json is not JSON: line 3, column 3");
  EXPECT_EQ(said("{\"schema\": 1e999}"), "x.json is not JSON: it has a number that is too large");
  EXPECT_EQ(said("{\"schema\": NaN}").substr(0, 34), "x.json is not JSON: line 1, column");
  for (const char* text : {"[]", "7", "{}", "{\"commit\": \"x\"}"}) {
    EXPECT_EQ(said(text), "x.json is JSON, but not a record: it has no \"schema\"; cairn bench --record writes one");
  }
  EXPECT_EQ(said(std::string(100'000, '[')).substr(0, 18), "x.json is not JSON");
}

TEST(Record, AFileThatCannotBeReadIsAnError) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / ("cairn_record_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string file = (folder / "x.json").string();
  EXPECT_EQ(complaint([&] { read(file); }), "cannot read " + file + ": No such file or directory");
  EXPECT_EQ(complaint([&] { read(folder.string()); }),
            folder.string() + " is a directory; a record is a file, such as cairn bench --record writes");
  std::ofstream(file) << to_json(full_record());
  EXPECT_EQ(to_json(read(file)), to_json(full_record()));
  if (fs::exists("/dev/zero")) {
    EXPECT_EQ(complaint([] { read("/dev/zero"); }), "/dev/zero is larger than 64 MB, which no record is");
  }
  fs::remove_all(folder);
}

TEST(Record, ThisBuildSaysWhatItIs) {
  const Build build = this_build();
  EXPECT_FALSE(build.version.empty());
  EXPECT_FALSE(build.compiler.empty());
  std::string commit = build.commit;
  if (commit.ends_with("+changes")) commit.resize(commit.size() - 8);
  EXPECT_TRUE(commit == "unknown" ||
              (commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos))
      << commit;
}

}  // namespace
}  // namespace cairn::lab::record
