// A file given to --out appears whole or not at all, and nothing that exists is lost.
#include "lab/output.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  OutputTest() : folder_(fs::path(testing::TempDir()) / ("cairn_output_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~OutputTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return (std::stringstream() << file.rdbuf()).str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

template <class F> std::string error_of(Exit code, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST_F(OutputTest, WritesAndLeavesNoTemporary) {
  write_file(path("a"), "text\n", false);
  EXPECT_EQ(read("a"), "text\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, NeverOverwritesUnasked) {
  write_file(path("a"), "first", false);
  const auto message = error_of(kUsage, [&] { write_file(path("a"), "second", false); });
  EXPECT_NE(message.find("--force"), std::string::npos) << message;
  EXPECT_EQ(read("a"), "first");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, RefusesBeforeTheWorkIsDone) {
  write_file(path("a"), "first", false);
  error_of(kUsage, [&] { Output({.format = "json", .out = path("a"), .force = false}); });
}

TEST_F(OutputTest, ADanglingLinkCountsAsThere) {
  fs::create_symlink(path("nowhere"), path("link"));
  error_of(kUsage, [&] { write_file(path("link"), "x", false); });
}

TEST_F(OutputTest, ForceReplaces) {
  write_file(path("a"), "first", false);
  write_file(path("a"), "second", true);
  EXPECT_EQ(read("a"), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, AFileThatAppearsMeanwhileIsKept) {
  const Output output({.format = "csv", .out = path("a"), .force = false});
  std::ofstream(path("a")) << "somebody else's";
  error_of(kUsage, [&] { output.write("ours"); });
  EXPECT_EQ(read("a"), "somebody else's");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, AFullDiskIsNoticedAndSaid) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto message = error_of(kFailed, [] { write_file("/dev/full", "text", false); });
  EXPECT_NE(message.find("No space left"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputTest, AMissingFolderAndAFolderAreUsageErrors) {
  error_of(kUsage, [&] { Output({.format = "", .out = path("none/a"), .force = false}); });
  error_of(kUsage, [&] { Output({.format = "", .out = path(""), .force = true}); });
  EXPECT_TRUE(fs::is_directory(folder_));
}

TEST_F(OutputTest, AlarmsStayOutOfWhatMachinesReadButAreHeard) {
  const Report report{{}, {{{"x", "x"}}, {{std::int64_t{1}}}}, {}, {"FAILED: this"}};
  testing::internal::CaptureStderr();
  Output({.format = "csv", .out = path("a"), .force = false}).write(report);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "FAILED: this\n");
  EXPECT_EQ(read("a"), "x\r\n1\r\n");
  testing::internal::CaptureStderr();
  Output({.format = "table", .out = path("b"), .force = false}).write(report);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(read("b").find("FAILED: this"), std::string::npos);
}

TEST_F(OutputTest, TheSameFileIsSeenByAnyPath) {
  fs::create_directory(path("sub"));
  fs::create_symlink(path("sub"), path("link"));
  const auto pair = [&](const std::string& out, const std::string& record) {
    const OutputOptions options{.format = "", .out = out, .force = true};
    expect_distinct({options, beside(options, "--record", record)});
  };
  const auto message = error_of(kUsage, [&] { pair(path("a.json"), path("sub/../a.json")); });
  EXPECT_NE(message.find("--out and --record would both write to "), std::string::npos) << message;
  error_of(kUsage, [&] { pair(path("sub/a"), path("link/a")); });
  error_of(kUsage, [&] { pair("", "-"); });
  error_of(kUsage, [&] { pair("-", "-"); });
  pair("", "");
  pair("-", path("a"));
  pair(path("a"), path("b"));
  pair("/dev/null", "/dev/null");
}

TEST_F(OutputTest, TheExtensionChoosesTheFormatUnlessOneIsGiven) {
  EXPECT_EQ(Output({.format = "", .out = path("a.json"), .force = false}).format(), Format::json);
  EXPECT_EQ(Output({.format = "", .out = path("a.txt"), .force = false}).format(), Format::table);
  EXPECT_EQ(Output({.format = "md", .out = path("a.json"), .force = false}).format(), Format::md);
  EXPECT_EQ(Output({}).format(), Format::table);
  error_of(kUsage, [&] { Output({.format = "", .out = path("a.svg"), .force = false}); });
  EXPECT_EQ(Output({.format = "csv", .out = path("a.svg"), .force = false}).format(), Format::csv);
  error_of(kUsage, [] { Output({.format = "xml", .out = "", .force = false}); });
}

}  // namespace
}  // namespace cairn::lab
