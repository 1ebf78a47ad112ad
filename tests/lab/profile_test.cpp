// Reading what Nsight Compute prints, finding it, and running it: with planted output and a planted ncu, so that no
// GPU is needed.
#include "lab/profile/profile.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/profile/process.hpp"

namespace cairn::lab::profile {
namespace {

namespace fs = std::filesystem;

// As ncu 2025 prints it: its own remarks, a heading, units, a line a launch; two launches, of one run or of two.
constexpr const char* kPrinted =
    "==PROF== Connected to process 4711 (/usr/bin/cairn)\n"
    "==PROF== Profiling \"simt_02_coalesced\" - 0: 0%....50%....100% - 9 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","
    "\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\","
    "\"launch__shared_mem_per_block_dynamic\",\"launch__shared_mem_per_block_static\","
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"lts__t_sector_hit_rate.pct\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"smsp__cycles_elapsed.avg.per_second\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\",\"register/thread\",\"byte/block\","
    "\"Kbyte/block\",\"sector\",\"%\",\"%\",\"cycle/nsecond\"\n"
    "\"0\",\"4711\",\"cairn\",\"127.0.0.1\",\"void simt_02_coalesced<(int)0>(GemmArgs<float, float, float>)\",\"1\","
    "\"7\",\"(32, 8, 1)\",\"(40, 160, 1)\",\"0\",\"9.0\",\"1,234,500\",\"40\",\"0\",\"8\",\"4,096\",\"90.5\",\"n/a\","
    "\"1.5\"\n"
    "\"1\",\"4711\",\"cairn\",\"127.0.0.1\",\"reduce<3, \"\"x\"\">\",\"1\",\"7\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"0\","
    "\"9.0\",\"411500.0\",\"64\",\"16\",\"0\",\"104\",\"50.5\",\"12.5\",\"1.9\"\n";

TEST(NcuOutput, IsReadWithItsQuotesUnitsAndLargeNumbers) {
  const NcuOutput out = read_ncu_output(kPrinted);
  ASSERT_EQ(out.launches.size(), 2u);
  const Launch& first = out.launches[0];
  EXPECT_EQ(first.kernel, "void simt_02_coalesced<(int)0>(GemmArgs<float, float, float>)");
  EXPECT_EQ(first.grid, (std::vector<std::int64_t>{40, 160, 1}));
  EXPECT_EQ(first.block, (std::vector<std::int64_t>{32, 8, 1}));
  EXPECT_EQ(first.metrics.at("gpu__time_duration.sum"), 1234500);
  EXPECT_EQ(first.metrics.at("launch__shared_mem_per_block_static"), 8000);
  EXPECT_EQ(first.metrics.at("smsp__cycles_elapsed.avg.per_second"), 1.5e9);
  EXPECT_EQ(out.launches[1].kernel, "reduce<3, \"x\">");
  EXPECT_TRUE(out.errors.empty());
}

TEST(NcuOutput, WhatIsNotAvailableIsNotThere) {
  const NcuOutput out = read_ncu_output(kPrinted);
  EXPECT_FALSE(out.launches.at(0).metrics.contains("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_EQ(out.launches.at(1).metrics.at("sm__throughput.avg.pct_of_peak_sustained_elapsed"), 12.5);
}

TEST(NcuOutput, RemarksAreKeptAndOtherTextIsPassedOver) {
  const NcuOutput out = read_ncu_output(
      "the program's own words, with commas\n==WARNING== slow\r\n==ERROR== broken, badly \n\"ID\",\"x__y.sum\"\n"
      "more words\n\"3\",\"4\"\n==PROF== end");
  ASSERT_EQ(out.launches.size(), 1u);
  EXPECT_EQ(out.launches[0].metrics.at("x__y.sum"), 4);
  EXPECT_EQ(out.errors, std::vector<std::string>{"broken, badly"});
  EXPECT_EQ(out.warnings, std::vector<std::string>{"slow"});
  EXPECT_TRUE(read_ncu_output("").launches.empty());
}

TEST(NcuOutput, UnknownMetricsAreFoundHoweverTheyAreNamed) {
  const std::vector<std::string> asked = {"dram__bytes_read.sum", "a__op_ld.sum", "a__op_ldgsts.sum"};
  NcuOutput out;
  out.errors = {"Failed to find metric regex:^a__op_ldgsts\\.sum(\\.(min|max))?$"};
  EXPECT_EQ(unknown_metrics(out, asked), std::vector<std::string>{"a__op_ldgsts.sum"});
  out.errors = {"Failed to find metric dram__bytes_read.sum"};
  EXPECT_EQ(unknown_metrics(out, asked), std::vector<std::string>{"dram__bytes_read.sum"});
  out.errors = {"An error occurred while trying to profile a__op_ld"};
  EXPECT_TRUE(unknown_metrics(out, asked).empty());
}

TEST(Csv, FieldsMayHoldCommasQuotesAndLineBreaks) {
  const std::vector<std::vector<std::string>> expected = {{"a,b", "c\"d", ""}, {"", "x\ny"}, {"last"}};
  EXPECT_EQ(read_csv("\"a,b\",\"c\"\"d\",\r\n\r\n,\"x\ny\"\nlast"), expected);
  EXPECT_TRUE(read_csv("\n\n").empty());
}

TEST(Units, BecomeNanosecondsBytesAndHertz) {
  EXPECT_EQ(unit_factor("usecond"), 1e3);
  EXPECT_EQ(unit_factor("ms"), 1e6);
  EXPECT_EQ(unit_factor("Mbyte"), 1e6);
  EXPECT_EQ(unit_factor("Ghz"), 1e9);
  EXPECT_EQ(unit_factor("cycle/usecond"), 1e6);
  for (const char* plain : {"", "%", "byte", "byte/block", "ns", "hz", "cycle/second", "register/thread", "sector"})
    EXPECT_EQ(unit_factor(plain), 1) << plain;
}

TEST(Counters, HaveNamesAndMetricsOfTheirOwn) {
  std::set<std::string> names, metrics;
  for (const Counter& one : counters()) {
    EXPECT_TRUE(names.insert(std::string(one.name)).second) << one.name;
    EXPECT_FALSE(parts(one.metric).empty()) << one.name;
    for (const std::string& metric : parts(one.metric)) EXPECT_TRUE(metrics.insert(metric).second) << metric;
    EXPECT_EQ(&counter(one.name), &one);
  }
  EXPECT_THROW((void)counter("nobody"), std::out_of_range);
}

TEST(Counters, OfSeveralKernelsAreOfTheRun) {
  const Values run = fold(read_ncu_output(kPrinted).launches);
  EXPECT_EQ(run.at("launches"), 2);
  EXPECT_DOUBLE_EQ(run.at("kernel_time_us"), 1234.5 + 411.5);
  EXPECT_EQ(run.at("global_load_sectors"), 4200);
  EXPECT_EQ(run.at("registers"), 64);
  EXPECT_EQ(run.at("shared_bytes"), 8000);  // of one kernel, not of two
  EXPECT_EQ(run.at("grid_blocks"), 40 * 160 + 10);
  EXPECT_EQ(run.at("block_threads"), 256);
  EXPECT_DOUBLE_EQ(run.at("l2_hit_rate"), (90.5 * 1234500 + 50.5 * 411500) / (1234500 + 411500));
  EXPECT_FALSE(run.contains("sm_throughput"));  // one of the two did not say
  EXPECT_FALSE(run.contains("dram_bytes_read"));
}

TEST(Counters, MedianIsOfWhatEveryRunHas) {
  const Values medians = median({{{"a", 1}, {"b", 5}}, {{"a", 9}}, {{"a", 2}, {"b", 6}}});
  EXPECT_EQ(medians, (Values{{"a", 2}}));
}

// A folder of its own with programs in it.
class Programs : public ::testing::Test {
 protected:
  Programs() { fs::create_directories(folder_); }
  ~Programs() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& script) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script;
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  // An ncu that writes its arguments to a file and says this.
  std::string ncu_that_says(const std::string& text, const std::string& before = "") {
    std::ofstream(folder_ / "said") << text;
    return write("ncu", "echo \"$@\" >>'" + (folder_ / "asked").string() + "'\n" + before + "cat '" +
                            (folder_ / "said").string() + "'\n");
  }
  std::string asked() const {
    std::ifstream file(folder_ / "asked");
    return (std::stringstream() << file.rdbuf()).str();
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("cairn_profile_" + std::to_string(::getpid()));
};

using FindNcu = Programs;
using Profiling = Programs;
using RunProgram = Programs;

TEST_F(FindNcu, TakesTheOneThatWasChosenThenThePathThenTheNewestToolkit) {
  const Search nowhere{"", "", folder_.string()};
  write("opt/nvidia/nsight-compute/2024.1.0/ncu", "");
  const std::string newer = write("opt/nvidia/nsight-compute/2025.3.1/ncu", "");
  EXPECT_EQ(find_ncu(nowhere), newer);
  write("usr/local/cuda-9.2/bin/ncu", "");
  const std::string toolkit = write("usr/local/cuda-13.0/bin/ncu", "");
  EXPECT_EQ(find_ncu(nowhere), toolkit);
  const std::string on_path = write("second/ncu", "");
  EXPECT_EQ(find_ncu({"", "/nonexistent::" + at("first") + ":" + at("second"), folder_.string()}), on_path);
  const std::string chosen = write("mine", "");
  EXPECT_EQ(find_ncu({chosen, at("second"), folder_.string()}), chosen);
}

TEST_F(FindNcu, NoneIsOneLineThatSaysHowToNameIt) {
  for (const Search& search : {Search{"", at("nowhere"), folder_.string()}, Search{at("nothing"), "", ""}}) {
    try {
      (void)find_ncu(search);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kLacking);
      EXPECT_NE(std::string(error.what()).find("CAIRN_NCU"), std::string::npos) << error.what();
    }
  }
}

Subject subject(std::int64_t runs) {
  return {.id = "simt/02_coalesced",
          .device = 0,
          .problem = Problem::packed(Type::f32, Op::none, Op::none, 64, 32, 16),
          .build = "",
          .seed = 5,
          .runs = runs};
}

Error error_of(const std::string& ncu, std::int64_t runs = 1) {
  try {
    (void)profile(ncu, subject(runs), {});
  } catch (const Error& error) {
    return error;
  }
  return {kGood, "nothing was wrong"};
}

TEST_F(Profiling, RunsTheCommandAgainAndFoldsWhatItLaunched) {
  const std::string ncu = ncu_that_says(kPrinted);
  const Profile one = profile(ncu, subject(1), {});
  ASSERT_EQ(one.runs.size(), 1u);
  EXPECT_EQ(one.runs[0].at("global_load_sectors"), 4200);
  EXPECT_EQ(one.kernels.size(), 2u);
  EXPECT_EQ(one.grid, "40x160x1");
  EXPECT_EQ(one.block, "32x8x1");
  for (const char* words :
       {"--profile-from-start off", "--clock-control none", "--cache-control all", "--print-units base",
        " profile simt/02_coalesced --child --device gpu:0 --problem in=f32 ", " --seed 5 --runs 1\n"}) {
    EXPECT_NE(asked().find(words), std::string::npos) << words << " in " << asked();
  }

  Subject scaled = subject(1);
  scaled.scalars = {-2, 0.5};
  (void)profile(ncu, scaled, {});
  EXPECT_NE(asked().find(" --runs 1 --alpha=-2 --beta=0.5\n"), std::string::npos) << asked();

  const Profile two = profile(ncu, subject(2), {.counters = {"kernel_time_us"}, .cold = false, .tick = {}});
  ASSERT_EQ(two.runs.size(), 2u);
  EXPECT_DOUBLE_EQ(two.runs[1].at("kernel_time_us"), 411.5);
  EXPECT_TRUE(two.missing.empty());
  EXPECT_NE(asked().find("--cache-control none --metrics gpu__time_duration.sum /"), std::string::npos) << asked();
}

TEST_F(Profiling, SeveralContendersInOneSessionAreToldApart) {
  const std::string ncu = ncu_that_says(kPrinted);
  Subject two = subject(1);
  two.also = {"simt/03_coalesced_1d"};
  const auto each = profile_each(ncu, two, {.counters = {"kernel_time_us"}, .cold = true, .tick = {}});
  ASSERT_EQ(each.size(), 2u);
  EXPECT_DOUBLE_EQ(each[0].runs.at(0).at("kernel_time_us"), 1234.5);
  EXPECT_DOUBLE_EQ(each[1].runs.at(0).at("kernel_time_us"), 411.5);
  EXPECT_EQ(each[1].kernels.size(), 1u);
  EXPECT_NE(asked().find(" profile simt/02_coalesced simt/03_coalesced_1d --child "), std::string::npos) << asked();
  two.also.emplace_back("simt/04_block_tile");
  EXPECT_THROW((void)profile_each(ncu, two, {}), Error) << "two kernels are not of three contenders";
}

TEST_F(Profiling, SaysWhichCountersAreMissing) {
  const Profile one = profile(ncu_that_says(kPrinted), subject(1), {});
  const std::set<std::string> missing(one.missing.begin(), one.missing.end());
  EXPECT_TRUE(missing.contains("dram_bytes_read"));
  EXPECT_TRUE(missing.contains("sm_throughput"));
  EXPECT_FALSE(missing.contains("registers"));
}

TEST_F(Profiling, AnUnknownMetricIsAskedForByItsOtherNameOrLeftOut) {
  // The planted ncu knows neither of the two, and complains of one at a time.
  const std::string ncu = ncu_that_says(kPrinted,
                                        "for metric in dram__bytes_read.sum sm__throughput.avg; do\n"
                                        "  case \"$*\" in *$metric*)\n"
                                        "    echo \"==ERROR== Failed to find metric $metric\"; exit 1;; esac\n"
                                        "done\n");
  const Profile one = profile(ncu, subject(1), {});
  EXPECT_EQ(one.runs.at(0).at("global_load_sectors"), 4200);
  std::istringstream calls(asked());
  std::vector<std::string> lines;
  for (std::string line; std::getline(calls, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[2].find("dram__bytes_op_read.sum"), std::string::npos);
  EXPECT_EQ(lines[2].find("sm__throughput"), std::string::npos);
}

TEST_F(Profiling, CountersThatAreNotPermittedAreOneLineThatSaysWhatToDo) {
  const Error error = error_of(ncu_that_says(
      "==PROF== Connected to process 1\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on "
      "the target device 0.\n"));
  EXPECT_EQ(error.code(), kLacking);
  EXPECT_NE(std::string(error.what()).find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
}

TEST_F(Profiling, FailuresSayWhatTheProfilerOrTheProgramSaid) {
  const auto what = [&](const std::string& said) { return std::string(error_of(ncu_that_says(said)).what()); };
  EXPECT_NE(what("==ERROR== Something\n==WARNING== No kernels were profiled.\n").find("Something"),
            std::string::npos);
  EXPECT_NE(what("==WARNING== No kernels were profiled.\n").find("No kernels"), std::string::npos);
  EXPECT_NE(what("cairn: no memory\n==ERROR== The application returned an error code (1).\n").find("no memory"),
            std::string::npos);
  EXPECT_NE(what("ld.so: broken\n").find("ld.so: broken"), std::string::npos);
  EXPECT_NE(what("").find("said nothing"), std::string::npos);
  const Error lacking = error_of(ncu_that_says("==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n"));
  EXPECT_EQ(lacking.code(), kLacking);
  EXPECT_EQ(error_of(at("nothing")).code(), kFailed);
}

TEST_F(Profiling, LaunchesThatBelongToNoRunAreAnError) {
  const Error error = error_of(ncu_that_says(kPrinted), 3);
  EXPECT_EQ(error.code(), kFailed);
  EXPECT_NE(std::string(error.what()).find("2 kernels in 3 runs"), std::string::npos) << error.what();
}

TEST_F(Profiling, TheVersionIsReadFromItsOwnWords) {
  EXPECT_EQ(ncu_version(ncu_that_says("NVIDIA (R) Nsight Compute Command Line Profiler\n"
                                      "Version 2025.3.1.0 (build 36398880) (public-release)\n")),
            "2025.3.1.0");
  EXPECT_EQ(ncu_version(ncu_that_says("?")), "");
}

TEST_F(RunProgram, KeepsBothStreamsAndTheExitCode) {
  const Ran ran =
      run_program({write("talk", "echo out; echo err >&2; read line || echo \"$LC_ALL $1\"; exit 3\n"), "it's"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.output, "out\nerr\nC it's\n");
}

TEST_F(RunProgram, StopsWhenTold) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run_program({write("wait", "exec sleep 60\n")}, [] { return false; });
  EXPECT_EQ(ran.code, 128 + SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace cairn::lab::profile
