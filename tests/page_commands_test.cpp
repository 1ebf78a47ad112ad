// Every command of the pages does what a reader expects: it runs, or the page says that it needs a GPU and the command
// says so too, in one line. CAIRN_PAGES chooses how:
//
//   (not set)    no GPU is visible; cairn verify draws two cases, whatever the page says
//   as_written   no GPU is visible
//   gpu          on the GPU of this machine, those that need it too; a bench takes a fiftieth of a second for each row
//                that the page gives no --seconds
//
// CAIRN_PAGES_OF, a regular expression, leaves out pages whose path it does not find: on a GPU all of them take minutes.
#include "tests/support/page_commands.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = CAIRN_SOURCE_DIR;

enum class Way { quick, as_written, gpu };

Way way() {
  const char* text = std::getenv("CAIRN_PAGES");
  const std::string word = text == nullptr ? "" : text;
  return word == "gpu" ? Way::gpu : word == "as_written" ? Way::as_written : Way::quick;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found = {kRoot / "README.md", kRoot / "CONTRIBUTING.md"};
  for (const char* room : {"docs", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  const char* of = std::getenv("CAIRN_PAGES_OF");
  const std::regex wanted(of == nullptr ? "" : of);
  std::erase_if(found, [&](const fs::path& page) {
    return !std::regex_search(page.lexically_relative(kRoot).string(), wanted);
  });
  return found;
}

// A folder with what a reader of the page has: the project's folders, and the files beside or in the page.
fs::path make_folder(const fs::path& page, const PageContents& contents) {
  std::string name = page.lexically_relative(kRoot).string();
  std::ranges::replace(name, '/', '_');
  const fs::path folder = scratch() / name;
  fs::create_directories(folder);
  const bool example = page.lexically_relative(kRoot).string().starts_with("examples/");
  for (const auto& entry : fs::directory_iterator(example ? page.parent_path() : kRoot)) {
    const std::string file = entry.path().filename().string();
    if (file != "build" && !file.starts_with(".")) fs::create_symlink(entry.path(), folder / file);
  }
  for (const auto& [file, text] : contents.files) std::ofstream(folder / file) << text;
  return folder;
}

// What is wrong with a run; empty if nothing is.
std::string fault(const PageCommand& command, const Ran& ran, Way how) {
  const std::string said = "exit code " + std::to_string(ran.code) + ": " + ran.err;
  if (command.needs_gpu() && how != Way::gpu) {
    const bool one_line = ran.err.starts_with("cairn: ") && ran.err.find('\n') + 1 == ran.err.size();
    const bool clear = ran.code == 77 && one_line && ran.err.find("GPU") != std::string::npos;
    return clear ? "" : "it needs a GPU, and without one it does not say so in one line: " + said;
  }
  if (ran.code == 0 && ran.err.find("cairn: ") == std::string::npos) return "";
  if (ran.code == 1 && command.comment.find("exit code 1") != std::string::npos) return "";
  // A profiler may be missing, or not allowed.
  if (how == Way::gpu && ran.code == 77 && ran.err.find("Nsight") != std::string::npos) return "";
  return ran.code == 77 ? "the page does not say that it needs a GPU: " + said : said;
}

const std::regex kFuzz("--fuzz [0-9]+");

std::string as_run(const PageCommand& command, Way how) {
  const std::string text = how == Way::quick ? std::regex_replace(command.text, kFuzz, "--fuzz 2") : command.text;
  if (how != Way::gpu) return "export CUDA_VISIBLE_DEVICES=; " + text;
  const bool long_bench = text.starts_with("cairn bench ") && text.find("--seconds") == std::string::npos;
  return long_bench ? "cairn bench --seconds 0.02 " + text.substr(12) : text;
}

// The command, the compiler driver, and programs that it has made.
bool is_run(const PageCommand& command) {
  return command.is("cairn") || command.is("cairn-nvcc") || command.text.starts_with("./");
}

// Those that neither write a file nor read one need not be run for every page that has them.
bool stands_alone(const std::string& text) {
  return text.find(".json") == std::string::npos && text.find(".cu") == std::string::npos &&
         text.find(".html") == std::string::npos;
}

class Runner {
 public:
  explicit Runner(Way how) : how_(how), pages_(pages()) {}

  void run() {
    // They slow each other down, on a GPU too; no time that they print is judged.
    const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1u, how_ == Way::gpu ? 12u : 4u);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([this] {
        for (std::size_t at = next_++; at < pages_.size(); at = next_++) run_page(pages_[at]);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  const std::vector<std::string>& faults() const { return faults_; }
  std::size_t ran() const { return ran_; }

 private:
  void run_page(const fs::path& page) {
    const PageContents contents = contents_of(slurp(page));
    if (contents.commands.empty()) return;
    const fs::path folder = make_folder(page, contents);
    static const bool has_jq = std::system("command -v jq >/dev/null") == 0;
    for (const PageCommand& command : contents.commands) {
      if (!is_run(command) && !(command.is("jq") && has_jq)) continue;
      const std::string text = as_run(command, how_);
      if (stands_alone(text) && !first_time(text)) continue;
      if (how_ == Way::as_written && !std::regex_search(text, kFuzz)) continue;  // the quick way has run it as it is
      const auto start = std::chrono::steady_clock::now();
      const std::string wrong = fault(command, run_shell_in(folder, text), how_);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      ++ran_;
      const std::string what =
          page.lexically_relative(kRoot).string() + ":" + std::to_string(command.line) + ": " + command.text;
      const std::lock_guard lock(mutex_);
      if (!wrong.empty()) faults_.push_back(what + "\n  " + wrong);
      // On a GPU it takes minutes: a run that is cut off has told what it saw.
      if (how_ == Way::gpu)
        std::cout << (wrong.empty() ? "passed " : "FAILED ") << std::lround(took.count()) << " s  " << what
                  << std::endl;
    }
  }

  bool first_time(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return seen_.insert(text).second;
  }

  Way how_;
  std::vector<fs::path> pages_;
  std::atomic<std::size_t> next_ = 0, ran_ = 0;
  std::mutex mutex_;
  std::set<std::string> seen_;
  std::vector<std::string> faults_;
};

TEST(PageCommands, Run) {
  Runner runner(way());
  runner.run();
  for (const std::string& fault : runner.faults()) ADD_FAILURE() << fault;
  const std::size_t at_least = way() == Way::as_written ? 30 : 150;
  EXPECT_GT(runner.ran(), std::getenv("CAIRN_PAGES_OF") == nullptr ? at_least : 0);
}

std::set<std::string> targets_of_make() {
  std::set<std::string> found;
  static const std::regex rule("^([a-z-]+):");
  std::istringstream lines(slurp(kRoot / "Makefile"));
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, rule)) found.insert(match[1]);
  return found;
}

std::set<std::string> presets() {
  std::set<std::string> found;
  const auto all = nlohmann::json::parse(slurp(kRoot / "CMakePresets.json"));
  for (const auto& preset : all["configurePresets"]) found.insert(preset["name"].get<std::string>());
  return found;
}

bool builds(const fs::path& folder, const std::string& program) {
  return slurp(folder / "CMakeLists.txt").find("(" + program + " ") != std::string::npos;
}

// The others take too long to be run here, and other tests run them: what they name must exist.
std::string missing(const PageCommand& command, const fs::path& page) {
  static const std::regex preset("--preset ([a-z]+)"), tests("^build/([a-z]+)/(tests[a-z/]*)/[a-z_]+");
  static const std::set<std::string> targets = targets_of_make(), known = presets();
  if (is_run(command) || command.is("jq")) return "";
  if (command.is("make")) return targets.contains(command.text.substr(5)) ? "" : "there is no such target";
  if (command.is("cmake") || command.is("ctest")) {
    for (std::sregex_iterator i(command.text.begin(), command.text.end(), preset), end; i != end; ++i)
      if (!known.contains((*i)[1])) return "there is no preset " + (*i)[1].str();
    return "";
  }
  if (command.is("pip")) return fs::exists(kRoot / "pyproject.toml") ? "" : "there is nothing for pip to install";
  static const std::regex script("^python3? ([a-z_/]+\\.py)");
  if (std::smatch named; std::regex_search(command.text, named, script))
    return fs::exists(kRoot / named[1].str()) ? "" : "there is no such script";
  if (command.text.starts_with("scripts/"))
    return fs::exists(kRoot / command.text.substr(0, command.text.find(' '))) ? "" : "there is no such script";
  std::smatch parts;
  const fs::path program = command.text.substr(0, command.text.find(' '));
  if (std::regex_search(command.text, parts, tests)) {  // a test's program
    if (!known.contains(parts[1])) return "there is no preset " + parts[1].str();
    return builds(kRoot / parts[2].str(), program.filename()) ? "" : "there is no such test";
  }
  if (command.text.starts_with("build/"))  // of an example
    return builds(page.parent_path(), program.filename()) ? "" : "its CMakeLists.txt does not build that";
  return "this test knows no such command";
}

TEST(PageCommands, ThatAreNotRunNameWhatExists) {
  for (const fs::path& page : pages()) {
    const PageContents contents = contents_of(slurp(page));
    const std::string name = page.lexically_relative(kRoot).string();
    for (const PageCommand& command : contents.commands) {
      const std::string wrong = missing(command, page);
      EXPECT_EQ(wrong, "") << name << ":" << command.line << ": " << command.text;
    }
    for (const int line : contents.hidden)
      ADD_FAILURE() << name << ":" << line << ": a command in a block that is not marked sh, and is not tested";
  }
}

// From here on: the reader of pages itself.
TEST(PageCommandsReader, FindsCommandsTheirCommentsAndFiles) {
  const PageContents found = contents_of(
      "Text with `cairn list`.\n\n"
      "```sh\ncairn bench simt/01 --shape '4 # 4' \\\n  --seconds 1   # needs a GPU, and time\n\n"
      "# a remark\nmake run\njq '.a |\n  .b' x.json\n```\n\n"
      "    cairn list\n    other text\n\n"
      "```cpp\n// mine.cu\nint x;\n```\n"
      "```\ncairn info\n```\n");
  ASSERT_EQ(found.commands.size(), 4u);
  EXPECT_EQ(found.commands[0].text, "cairn bench simt/01 --shape '4 # 4'  --seconds 1");
  EXPECT_EQ(found.commands[0].comment, " needs a GPU, and time");
  EXPECT_EQ(found.commands[0].line, 4);
  EXPECT_TRUE(found.commands[0].needs_gpu());
  EXPECT_EQ(found.commands[1].text, "make run");
  EXPECT_EQ(found.commands[2].text, "jq '.a |\n.b' x.json");
  EXPECT_EQ(found.commands[3].text, "cairn list");
  EXPECT_FALSE(found.commands[3].needs_gpu());
  EXPECT_EQ(found.files.at("mine.cu"), "// mine.cu\nint x;\n");
  EXPECT_EQ(found.hidden, std::vector<int>{21});
}

TEST(PageCommandsReader, SeesAFault) {
  const PageCommand plain{1, "cairn list", ""}, gpu{1, "cairn profile simt/01", " needs a GPU"};
  const Ran good{0, "", ""}, lacking{77, "", "cairn: there is no GPU\n"}, usage{2, "", "cairn: no option --x\n"},
      crash{139, "", ""};
  EXPECT_EQ(fault(plain, good, Way::quick), "");
  EXPECT_NE(fault(plain, lacking, Way::quick), "");
  EXPECT_NE(fault(plain, usage, Way::quick), "");
  EXPECT_EQ(fault(gpu, lacking, Way::quick), "");
  for (const Ran& ran : {good, usage, crash}) EXPECT_NE(fault(gpu, ran, Way::quick), "");
  EXPECT_EQ(fault(gpu, good, Way::gpu), "");
  EXPECT_NE(fault(gpu, lacking, Way::gpu), "");
}

}  // namespace
}  // namespace cairn::testing
