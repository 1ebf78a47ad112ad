// Holds the house in order: who may include whom, every file in a room, no file too long. The table
// below is the agreement (docs/architecture.md draws it); a new arrow is a decision, written down
// there, and a row here.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct Arrow {
  std::string_view who;  // a room ("src/api/") or a file
  std::string_view may;  // rooms, files, and kinds of foreign header (see kind_of)
};

// The first row that fits a file is its row, so a file's own row stands above its room's. Every
// file may include the standard library.
constexpr Arrow kArrows[] = {
    {"include/cairn/", "include/cairn/"},

    {"src/call.hpp", "include/cairn/"},
    {"src/api/", "system include/cairn/ src/call.hpp src/api/ src/dispatch/ runtime/"},
    {"src/dispatch/", "system include/cairn/ src/call.hpp src/dispatch/ src/cpu/ runtime/ kernels/ladder.hpp"},
    {"src/cpu/openblas.cpp", "system cblas include/cairn/ src/call.hpp src/cpu/"},
    {"src/cpu/", "system include/cairn/ src/call.hpp src/cpu/"},

    {"runtime/cuda.cpp", "system cuda include/cairn/ runtime/"},
    {"runtime/emu.cpp", "system include/cairn/ runtime/ emu/"},
    {"runtime/", "system include/cairn/ runtime/"},

    {"kernels/ladder.hpp", "include/cairn/ kernels/rung.hpp"},
    {"kernels/ladder.cpp", "include/cairn/ kernels/ladder.hpp kernels/rung.hpp"},
    {"kernels/device_ladders.cpp", "kernels/ladder.hpp emu/emulator.hpp"},
    {"kernels/rung.hpp", "cuda include/cairn/types.hpp kernels/choice.hpp"},
    {"kernels/choice.hpp", "include/cairn/types.hpp"},
    {"kernels/parts/",
     "include/cairn/types.hpp kernels/choice.hpp kernels/parts/ device/"},  // what several rungs share
    {"kernels/hopper/parts/",
     "cuda kernels/rung.hpp device/ kernels/hopper/parts/"},  // what the library's kernels share
    {"kernels/hopper/59_summit.cu", "cuda kernels/rung.hpp device/ kernels/hopper/parts/ kernels/hopper/59_summit/"},
    {"kernels/hopper/59_summit/", "cuda kernels/rung.hpp device/ kernels/hopper/parts/ kernels/hopper/59_summit/"},
    {"kernels/hopper/60_bf16x6.cu", "cuda kernels/rung.hpp device/ kernels/hopper/parts/"},
    {"kernels/hopper/61_f16x3.cu", "cuda kernels/rung.hpp device/ kernels/hopper/parts/"},
    {"kernels/simt/24_few_rows.cu", "cuda kernels/rung.hpp kernels/parts/ device/ kernels/simt/24_few_rows/"},
    {"kernels/simt/24_few_rows/", "cuda kernels/rung.hpp kernels/parts/ device/ kernels/simt/24_few_rows/"},
    {"kernels/", "cuda kernels/rung.hpp kernels/parts/ device/"},  // a rung: never another rung
    {"device/", "cuda include/cairn/types.hpp device/"},

    {"emu/", "system boost include/cairn/types.hpp include/cairn/numbers.hpp device/fragment.hpp emu/"},

    {"faces/cublas/", "include/cairn/cairn.h emu/shadow/cublas_v2.h faces/cublas/"},

    {"lab/baseline_cublas.cpp", "system cuda cublas fmt include/cairn/ src/call.hpp src/dispatch/ runtime/ lab/"},
    {"lab/cublas_words.hpp", "cublas src/call.hpp"},
    {"lab/experiments/kernels/entry.cpp", "kernels/ladder.hpp"},
    {"lab/experiments/kernels/", "cuda kernels/rung.hpp device/"},  // as a rung
    {"lab/",
     "system cblas cli fmt json include/cairn/ src/call.hpp src/dispatch/ src/cpu/ runtime/ "
     "kernels/ladder.hpp device/fragment.hpp emu/emulator.hpp emu/analysis.hpp emu/trace.hpp emu/program/wire.hpp "
     "emu/program/watch.hpp "
     "lab/"},

    {"python/native/", "nanobind include/cairn/cairn.h python/native/"},
    {"python/torch_ops/", "torch include/cairn/cairn.h python/torch_ops/"},  // PyTorch's stable ABI alone
    {"cmake/public_symbols.hpp", "include/cairn/"},
    {"tests/", "anything"},
    {"examples/", "anything"},  // projects of their own, that see only an installed Cairn
};

constexpr int kMostLines = 400;  // about 300 is a smell

// An include as the source spells it, and what it names: a file of ours by its path from the root,
// or the kind of a foreign header.
struct Include {
  std::string target;
  bool quoted = false;
};

// "standard", "system" (the operating system's and the processor's), or whose library it is.
std::string kind_of(const std::string& header) {
  static const std::vector<std::pair<std::string_view, std::regex>> kinds = [] {
    std::vector<std::pair<std::string_view, std::regex>> k;
    k.emplace_back("cblas", "cblas\\.h|openblas_config\\.h");
    k.emplace_back("cublas", "cublas.*\\.h");
    k.emplace_back("cuda", "cuda.*|cooperative_groups.*|mma\\.h|nvtx3/.*|vector_types\\.h");
    k.emplace_back("cli", "CLI/.*");
    k.emplace_back("fmt", "fmt/.*");
    k.emplace_back("json", "nlohmann/.*");
    k.emplace_back("boost", "boost/.*");
    k.emplace_back("nanobind", "nanobind/.*|Python\\.h");
    k.emplace_back("torch", "torch/csrc/(stable|inductor/aoti_torch/c)/.*|torch/headeronly/.*");
    k.emplace_back("gtest", "g(test|mock)/.*");
    k.emplace_back("standard", "[a-z_0-9]+|(stddef|stdint|stdbool|string|stdio|stdlib|math|float|limits|errno)\\.h");
    k.emplace_back("system",
                   "(unistd|elf|link|cxxabi|dlfcn|pthread|sched|fcntl|signal|ucontext|unwind|fenv|fnmatch|glob|\\w+"
                   "intrin|arm_neon)"
                   "\\.h|(sys|asm|linux)/.*");
    return k;
  }();
  for (const auto& [kind, pattern] : kinds)
    if (std::regex_match(header, pattern)) return std::string(kind);
  return "unknown";
}

// The include of a line, if it has one. A macro in its place comes back as it is, and fits no row.
std::optional<Include> include_of(const std::string& line) {
  static const std::regex directive(R"(^\s*#\s*include\s*(\S+).*)");
  std::smatch found;
  if (!std::regex_match(line, found, directive)) return {};
  const std::string spelled = found[1];
  const std::string name = spelled.size() > 2 ? spelled.substr(1, spelled.size() - 2) : "";
  if (spelled.front() == '<') return Include{kind_of(name), false};
  if (spelled.front() != '"') return Include{spelled, false};
  return Include{name.starts_with("cairn/") ? "include/" + name : name, true};
}

bool fits(std::string_view pattern, std::string_view path) {
  return pattern.ends_with('/') ? path.starts_with(pattern) : path == pattern;
}

const Arrow* row_of(std::string_view file) {
  const auto* row = std::ranges::find_if(kArrows, [&](const Arrow& arrow) { return fits(arrow.who, file); });
  return row == std::end(kArrows) ? nullptr : row;
}

// What is wrong with this line in this file; empty if nothing is.
std::string breach(const std::string& file, const std::string& line) {
  const Arrow* row = row_of(file);
  if (row == nullptr) return file + " is in no room";
  const auto include = include_of(line);
  if (!include || include->target == "standard" || row->may == "anything") return {};
  std::istringstream allowed{std::string(row->may)};
  for (std::string pattern; allowed >> pattern;)
    if (fits(pattern, include->target)) return {};
  return file + " may not include " + include->target + " (" + std::string(row->who) +
         " may include: the standard library, " + std::string(row->may) + ")";
}

namespace fs = std::filesystem;

struct Source {
  std::string path;  // from the root
  std::vector<std::string> lines;
  bool header() const { return path.ends_with(".hpp") || path.ends_with(".h"); }
};

bool is_source(const fs::path& path) {
  static const std::set<std::string> extensions = {".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh"};
  return extensions.contains(path.extension().string());
}

// Hidden folders and build folders, whatever they are called, are not part of the tree.
bool outside(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || name.starts_with('.') || fs::exists(folder / "CMakeCache.txt");
}

// Every source file of the tree.
std::vector<Source> read_house(const fs::path& root) {
  std::vector<Source> house;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const fs::path& path = entry->path();
    if (entry->is_directory()) {
      if (outside(path)) entry.disable_recursion_pending();
      continue;
    }
    if (!is_source(path)) continue;
    Source source{fs::relative(path, root).generic_string(), {}};
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) source.lines.push_back(line);
    house.push_back(std::move(source));
  }
  return house;
}

const std::vector<Source>& house() {
  static const std::vector<Source> sources = read_house(CAIRN_SOURCE_DIR);
  return sources;
}

TEST(House, IsWhereTheTestLooks) {
  const bool face = std::ranges::any_of(house(), [](const Source& s) { return s.path == "include/cairn/types.hpp"; });
  EXPECT_TRUE(face) << "no include/cairn/types.hpp under " << CAIRN_SOURCE_DIR;
}

TEST(House, EveryFileIsInARoom) {
  for (const Source& source : house())
    EXPECT_NE(row_of(source.path), nullptr) << source.path << " is in no room of the table";
}

// What a script left behind, such as a file named after a problem, has a name that no file here has.
TEST(House, NamesHaveNoSpacesAndNoSigns) {
  static const std::regex plain("[A-Za-z0-9._+-]+");
  const fs::path root = CAIRN_SOURCE_DIR;
  int seen = 0;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const fs::path& path = entry->path();
    if (entry->is_directory() && outside(path)) {
      entry.disable_recursion_pending();
      continue;
    }
    EXPECT_TRUE(std::regex_match(path.filename().string(), plain)) << path;
    ++seen;
  }
  EXPECT_GT(seen, 500);
}

TEST(House, IncludesFollowTheArrows) {
  for (const Source& source : house()) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string wrong = breach(source.path, source.lines[i]);
      EXPECT_EQ(wrong, "") << source.path << ":" << i + 1;
    }
  }
}

// A quoted include names a file of ours by its path from the root (or "cairn/…"), so that one look
// says which room it comes from, and so that the arrows above judge the file that is really meant.
TEST(House, QuotedIncludesNameAFileOfOurs) {
  for (const Source& source : house()) {
    // They see only an installed Cairn, or are as users write them.
    constexpr std::string_view kOthers[] = {"tests/consumer/", "tests/lab/own/", "tests/lab/programs/", "examples/"};
    if (std::ranges::any_of(kOthers, [&](std::string_view room) { return source.path.starts_with(room); })) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const auto include = include_of(source.lines[i]);
      if (!include || !include->quoted) continue;
      EXPECT_TRUE(fs::exists(fs::path(CAIRN_SOURCE_DIR) / include->target))
          << source.path << ":" << i + 1 << ": there is no " << include->target;
    }
  }
}

TEST(House, HeadersAreIncludedOnce) {
  for (const Source& source : house()) {
    if (!source.header()) continue;
    const auto pragmas = std::ranges::count(source.lines, "#pragma once");
    EXPECT_EQ(pragmas, 1) << source.path << " wants one line `#pragma once`";
  }
}

TEST(House, FilesAreShort) {
  for (const Source& source : house())
    EXPECT_LE(source.lines.size(), kMostLines) << source.path << " is too long to be read at a sitting";
}

// From here on: the checker itself, on planted lines. Each breach below must be seen.

struct Planted {
  const char* file;
  const char* line;
};

TEST(HouseChecker, SeesABreach) {
  const Planted planted[] = {
      {"include/cairn/types.hpp", "#include \"src/call.hpp\""},
      {"include/cairn/cairn.hpp", "#include <cuda_runtime.h>"},
      {"include/cairn/cairn.hpp", "#include <fmt/format.h>"},
      {"src/call.hpp", "#include \"runtime/runtime.hpp\""},
      {"src/api/gemm.cpp", "#include \"src/cpu/reference.hpp\""},
      {"src/api/gemm.cpp", "#include \"kernels/ladder.hpp\""},
      {"src/dispatch/plan.cpp", "#include \"kernels/simt/04_block_tile.cu\""},
      {"src/dispatch/plan.cpp", "#include \"kernels/rung.hpp\""},
      {"src/dispatch/plan.cpp", "#include \"device/mma.hpp\""},
      {"src/dispatch/plan.cpp", "#include \"src/api/handle.hpp\""},
      {"src/cpu/reference.cpp", "#include <cblas.h>"},
      {"src/cpu/openblas.cpp", "#include \"src/dispatch/check.hpp\""},
      {"src/cpu/openblas.cpp", "#include \"runtime/runtime.hpp\""},
      {"runtime/runtime.cpp", "#include <cuda_runtime_api.h>"},
      {"runtime/cpu.cpp", "#include \"emu/emu.hpp\""},
      {"runtime/cuda.cpp", "#include \"src/call.hpp\""},
      {"kernels/simt/16_warp_tile.cu", "#include \"kernels/simt/04_block_tile.cu\""},
      {"kernels/simt/16_warp_tile.cu", "#include \"runtime/runtime.hpp\""},
      {"kernels/hopper/57_tma_store.cu", "#include \"kernels/hopper/parts/store.hpp\""},
      {"kernels/hopper/parts/cost.hpp", "#include \"kernels/hopper/59_summit/menu.hpp\""},
      {"kernels/rung.hpp", "#include \"include/cairn/cairn.hpp\""},
      {"device/mma.hpp", "#include \"kernels/rung.hpp\""},
      {"emu/machine/grid.cpp", "#include \"runtime/runtime.hpp\""},
      {"emu/machine/grid.cpp", "#include <cuda_runtime.h>"},
      {"emu/machine/grid.cpp", "#include \"device/mma.hpp\""},
      {"faces/cublas/gemm.cpp", "#include <cublas_v2.h>"},
      {"faces/cublas/gemm.cpp", "#include \"src/cpu/backend.hpp\""},
      {"faces/cublas/gemm.cpp", "#include \"emu/machine/device_memory.hpp\""},
      {"lab/bench.cpp", "#include <cublas_v2.h>"},
      {"lab/bench.cpp", "#include <cuda_runtime.h>"},
      {"lab/bench.cpp", "#include \"src/api/handle.hpp\""},
      {"lab/bench.cpp", "#include \"kernels/simt/04_block_tile.cu\""},
      {"python/native/module.cpp", "#include \"cairn/cairn.hpp\""},
      {"python/native/module.cpp", "#include <torch/csrc/stable/library.h>"},
      {"python/torch_ops/ops.cpp", "#include <nanobind/nanobind.h>"},
      {"python/torch_ops/ops.cpp", "#include <torch/extension.h>"},
      {"python/torch_ops/ops.cpp", "#include \"src/call.hpp\""},
      {"python/stray.cpp", "int x;"},
      {"lab/bench.cpp", "  #  include  <cublas_v2.h>  // indented, with a comment"},
      {"lab/bench.cpp", "#include <some/new/library.hpp>"},
      {"lab/bench.cpp", "#include CAIRN_SOME_MACRO"},
      {"lab/bench.cpp", "#include <cairn/types.hpp>"},
      {"attic/notes.cpp", "int x;"},
      {"src/stray.cpp", "int x;"},
  };
  for (const auto& [file, line] : planted)
    EXPECT_NE(breach(file, line), "") << file << ": " << line << " went unnoticed";
}

TEST(HouseChecker, LetsTheArrowsThrough) {
  const Planted planted[] = {
      {"include/cairn/cairn.hpp", "#include \"cairn/types.hpp\""},
      {"include/cairn/cairn.h", "#include <stdint.h>"},
      {"src/api/gemm.cpp", "#include \"src/dispatch/plan.hpp\""},
      {"src/dispatch/plan.cpp", "#include \"kernels/ladder.hpp\""},
      {"src/dispatch/plan.cpp", "#include \"src/cpu/backend.hpp\""},
      {"src/cpu/openblas.cpp", "#include <cblas.h>"},
      {"runtime/cuda.cpp", "#include <cuda_runtime_api.h>"},
      {"runtime/cpu.cpp", "#include <unistd.h>"},
      {"kernels/simt/16_warp_tile.cu", "#include \"device/vec.hpp\""},
      {"kernels/simt/16_warp_tile.cu", "#include \"kernels/rung.hpp\""},
      {"kernels/hopper/59_summit/kernel.hpp", "#include \"kernels/hopper/parts/store.hpp\""},
      {"lab/verify/judge.cpp", "#include \"src/call.hpp\""},
      {"lab/verbs/bench.cpp", "#include <CLI/CLI.hpp>"},
      {"lab/baseline_cublas.cpp", "#include <cublas_v2.h>"},
      {"emu/machine/grid.cpp", "#include <boost/context/fiber.hpp>"},
      {"faces/cublas/gemm.cpp", "#include \"cairn/cairn.h\""},
      {"faces/cublas/gemm.cpp", "#include \"emu/shadow/cublas_v2.h\""},
      {"python/native/module.cpp", "#include \"cairn/cairn.h\""},
      {"python/torch_ops/ops.cpp", "#include <torch/csrc/stable/library.h>"},
      {"tests/kernels/rung_test.cpp", "#include \"emu/emu.hpp\""},
      {"src/cpu/reference.cpp", "// #include <cblas.h> would be wrong here"},
      {"src/cpu/reference.cpp", "const char* text = \"#include <cblas.h>\";"},
  };
  for (const auto& [file, line] : planted) EXPECT_EQ(breach(file, line), "") << line;
}

}  // namespace
