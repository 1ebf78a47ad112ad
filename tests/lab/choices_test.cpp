// The file that keeps which algorithm was fastest.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/baseline_choices.hpp"
#include "tests/support/folder.hpp"

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using test::read;
using test::write;

LtAlgorithm algorithm(std::uint64_t first) { return {{first, 2, 3, 4, 5, 6, 7, ~std::uint64_t{0}}, 1 << 20}; }

const ChoiceKey kKey{"NVIDIA H200", "13.1.0", "in=f32 m=1"};

TEST(Choices, AreFoundAgain) {
  const Folder folder;
  const fs::path file = folder / "deeper" / "choices.json";  // the folder is made
  EXPECT_FALSE(find_choice(file, kKey));
  ASSERT_TRUE(keep_choice(file, kKey, algorithm(42), {}));
  const auto found = find_choice(file, kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->opaque, algorithm(42).opaque);
  EXPECT_EQ(found->workspace_bytes, algorithm(42).workspace_bytes);
  EXPECT_NE(read(file).find("\"split_k\": 1"), std::string::npos) << "people read it too: " << read(file);
}

TEST(Choices, StandBesideEachOther) {
  const Folder folder;
  const fs::path file = folder / "choices.json";
  std::vector<ChoiceKey> keys(4, kKey);
  keys[1].device = "another", keys[2].version = "12.8.0", keys[3].problem = "in=f32 m=2";
  for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(keep_choice(file, keys[i], algorithm(i), {}));
  ASSERT_TRUE(keep_choice(file, keys[2], algorithm(99), {}));  // a better one replaces the old one
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const auto found = find_choice(file, keys[i]);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->opaque[0], i == 2 ? 99 : i);
  }
  EXPECT_EQ(folder.files(), 1) << "a draft was left behind";
}

TEST(Choices, AFileThatIsNotUnderstoodIsLeftAlone) {
  const Folder folder;
  const fs::path file = folder / "choices.json";
  for (const char* text : {"", "not json", "[]", "{}", R"({"schema": 2, "choices": {}})", R"({"schema": 1})",
                           R"({"schema": 1, "choices": 3})", R"({"schema": 1, "choices": {"NVIDIA H200": 3}})",
                           "{\"schema\": 1, \"choices\": {}} and more"}) {
    write(file, text);
    EXPECT_FALSE(find_choice(file, kKey)) << text;
    EXPECT_FALSE(keep_choice(file, kKey, algorithm(1), {})) << text;
    EXPECT_EQ(read(file), text);
    EXPECT_EQ(folder.files(), 1) << text;
  }
}

TEST(Choices, AnEntryThatIsWrongIsReplaced) {
  const Folder folder;
  const fs::path file = folder / "choices.json";
  const std::string digits(127, '0');
  for (const std::string& entry : {std::string("3"), std::string("{}"), R"({"algorithm": "00"})" + std::string(),
                                   R"({"workspace_bytes": 0, "algorithm": ")" + digits + "g\"}",
                                   R"({"workspace_bytes": "much", "algorithm": "0)" + digits + "\"}"}) {
    write(file, R"({"schema": 1, "choices": {"NVIDIA H200": {"13.1.0": {"in=f32 m=1": )" + entry + "}}}}");
    EXPECT_FALSE(find_choice(file, kKey)) << entry;
    EXPECT_TRUE(keep_choice(file, kKey, algorithm(7), {})) << entry;
    EXPECT_TRUE(find_choice(file, kKey)) << entry;
  }
}

TEST(Choices, AFolderThatCannotBeWrittenIsIgnored) {
  const Folder folder;
  write(folder / "file", "");
  EXPECT_FALSE(keep_choice(folder / "file" / "choices.json", kKey, algorithm(1), {}));
  EXPECT_FALSE(find_choice(folder / "file" / "choices.json", kKey));
  EXPECT_FALSE(keep_choice("", kKey, algorithm(1), {}));
  EXPECT_FALSE(find_choice("", kKey));
  fs::create_directory(folder / "folder");
  EXPECT_FALSE(keep_choice(folder / "folder", kKey, algorithm(1), {})) << "a folder is not replaced";
}

TEST(Choices, AreWhereTheUserSays) {
  setenv("HOME", "/home/someone", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("CAIRN_CHOICES");
  EXPECT_EQ(choices_file(), "/home/someone/.cache/cairn/cublas_choices.json");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(choices_file(), "/cache/cairn/cublas_choices.json");
  setenv("CAIRN_CHOICES", "/mine.json", 1);
  EXPECT_EQ(choices_file(), "/mine.json");
  setenv("CAIRN_CHOICES", "", 1);
  EXPECT_EQ(choices_file(), "");
}

}  // namespace
}  // namespace cairn::lab
