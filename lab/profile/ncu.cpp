#include "lab/profile/ncu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/profile/process.hpp"

namespace cairn::lab::profile {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> on_path(std::string_view path, std::string_view name) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const fs::path candidate = fs::path(path.substr(0, end)) / name;
    if (end > 0 && is_program(candidate)) return candidate.string();
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

// folder/prefix*/rest, the newest version first: cuda-13.0 before cuda-9.2.
std::optional<std::string> newest(const fs::path& folder, std::string_view prefix, const fs::path& rest) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && is_program(entry->path() / rest)) names.push_back(name);
  }
  const auto older = [](const std::string& a, const std::string& b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  };
  if (names.empty()) return {};
  return (folder / *std::max_element(names.begin(), names.end(), older) / rest).string();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool says(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

// The error line of our own program, if it printed one.
std::string own_complaint(const std::string& output) {
  const std::size_t at = output.rfind("cairn: ");
  if (at == std::string::npos || (at > 0 && output[at - 1] != '\n')) return "";
  return output.substr(at + 7, output.find('\n', at) - at - 7);
}

// The last line of ncu's output, where none is marked as an error.
std::string last_line(const std::string& output) {
  const std::size_t end = output.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "it said nothing";
  const std::size_t begin = output.find_last_of('\n', end);
  return output.substr(begin + 1, end - begin);
}

[[noreturn]] void give_up(const std::string& ncu, const Ran& ran, const NcuOutput& output) {
  if (says(ran.output, "ERR_NVGPUCTRPERM")) {
    throw Error(kLacking,
                "the driver does not let this user read the GPU's counters (ERR_NVGPUCTRPERM); run as root, or have "
                "the nvidia kernel module loaded with NVreg_RestrictProfilingToAdminUsers=0");
  }
  std::string why = output.errors.empty() ? "" : output.errors[0];
  if (says(ran.output, "Failed to initialize the profiler") || says(ran.output, "LibraryNotLoaded")) {
    throw Error(kLacking, fmt::format("{} cannot read the counters of this machine: {}", ncu,
                                      why.empty() ? last_line(ran.output) : why));
  }
  // An error of our own program is the cause of the error that ncu reports.
  if (const std::string own = own_complaint(ran.output); !own.empty()) why = "the profiled program says: " + own;
  if (why.empty() && !output.warnings.empty()) why = output.warnings[0];
  if (why.empty()) why = last_line(ran.output);
  throw Error(kFailed, fmt::format("{} watched no kernel (exit code {}): {}", ncu, ran.code, why));
}

}  // namespace

Search Search::here() { return {variable("CAIRN_NCU"), variable("PATH"), ""}; }

std::string find_ncu(const Search& search) {
  if (!search.chosen.empty()) {
    if (is_program(search.chosen)) return search.chosen;
    throw Error(kLacking, fmt::format("CAIRN_NCU is {}, which is not a program", search.chosen));
  }
  if (auto found = find_tool("ncu", search)) return *found;
  if (auto found = newest(search.root + "/opt/nvidia/nsight-compute", "", "ncu")) return *found;
  throw Error(kLacking,
              "there is no Nsight Compute here: ncu is not on the PATH, in /usr/local/cuda*/bin or in "
              "/opt/nvidia/nsight-compute/*; CAIRN_NCU can name it");
}

std::optional<std::string> find_tool(const std::string& name, const Search& search) {
  if (auto found = on_path(search.path, name)) return found;
  return newest(search.root + "/usr/local", "cuda", fs::path("bin") / name);
}

std::string ncu_version(const std::string& ncu) {
  const std::string said = run_program({ncu, "--version"}).output;
  const std::size_t at = said.find("Version ");
  if (at == std::string::npos) return "";
  return said.substr(at + 8, said.find_first_of(" \r\n", at + 8) - at - 8);
}

NcuOutput run_ncu(const std::string& ncu, const Watch& watch) {
  std::vector<std::string> words = {ncu,
                                    "--csv",
                                    "--page",
                                    "raw",
                                    "--print-units",
                                    "base",
                                    "--print-kernel-base",
                                    "function",
                                    "--profile-from-start",
                                    "off",
                                    "--clock-control",
                                    "none",
                                    "--cache-control",
                                    watch.cold ? "all" : "none",
                                    "--metrics",
                                    fmt::format("{}", fmt::join(watch.metrics, ","))};
  words.insert(words.end(), watch.program.begin(), watch.program.end());
  const Ran ran = run_program(words, watch.tick);
  NcuOutput output = read_ncu_output(ran.output);
  // A metric it does not know is for the caller to leave out and ask again.
  if (output.launches.empty() && unknown_metrics(output, watch.metrics).empty()) give_up(ncu, ran, output);
  return output;
}

}  // namespace cairn::lab::profile
