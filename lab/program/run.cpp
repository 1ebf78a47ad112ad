#include "lab/program/run.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "emu/program/watch.hpp"
#include "emu/program/wire.hpp"
#include "lab/exit.hpp"
#include "lab/output.hpp"
#include "lab/profile/process.hpp"
#include "lab/program/sections.hpp"
#include "lab/program/workplace.hpp"
#include "lab/signals.hpp"

namespace cairn::lab::program {
namespace {

namespace fs = std::filesystem;

// With a slash in it, so that it is not looked for on the PATH.
std::vector<std::string> command_of(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {file.find('/') == std::string::npos ? "./" + file : file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

void check(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) throw Error(kUsage, fmt::format("cannot read {}", file));
}

// What the program is told by its environment.
std::vector<std::string> variables(const Watch& watch, const std::string& answer) {
  using namespace emu::program;
  std::vector<std::string> all = {fmt::format("{}={}", kAnswerVariable, answer),
                                  fmt::format("{}={}", kSeedVariable, watch.seed),
                                  fmt::format("{}={:d}", kDetectorsVariable, watch.detectors || watch.compare),
                                  fmt::format("{}={:d}", kMergedVariable, watch.count || watch.compare),
                                  fmt::format("{}={:d}", kShapesVariable, watch.count && !watch.compare),
                                  fmt::format("{}={:d}", kChecksumVariable, watch.checksum)};
  if (watch.compare) {
    const auto& type = watch.compare->type;
    all.push_back(fmt::format("{}={}", kFirstVariable, watch.compare->first));
    all.push_back(fmt::format("{}={}", kSecondVariable, watch.compare->second));
    all.push_back(fmt::format("{}={}", kTypeVariable, type ? std::to_string(static_cast<int>(*type)) : ""));
  }
  return all;
}

// Files in the folder in which the program is run are named from there.
void shorten(emu::Trace& trace) {
  const std::string here = fs::current_path().string() + "/";
  const auto shorten = [&](std::string& text) {
    for (std::size_t at = 0; (at = text.find(here, at)) != std::string::npos;) text.erase(at, here.size());
  };
  for (emu::KernelTrace& kernel : trace.kernels) {
    kernel.name = short_name(kernel.name);
    for (emu::LineCounters& line : kernel.lines) shorten(line.place.file);
  }
  for (emu::Finding& finding : trace.findings) {
    finding.kernel = short_name(finding.kernel);
    shorten(finding.what), shorten(finding.place.file), shorten(finding.other.file);
  }
}

}  // namespace

int run_plain(const std::string& file, const std::vector<std::string>& arguments) {
  check(file);
  return profile::run_beside(command_of(file, arguments), [] { return !interrupted(); });
}

Watched run_watched(const std::string& file, const std::vector<std::string>& arguments, const Watch& watch) {
  check(file);
  const auto twin = section(file, kTracedProgram);
  if (!twin)
    throw Error(kUsage, fmt::format("{} was not made by cairn-nvcc, so there is nothing to watch in it", file));
  const Workplace place;
  const std::string program = place / fs::path(file).filename().string(), answer = place / "answer";
  write_file(program, scrambled(*twin), true);
  fs::permissions(program, fs::perms(0700));
  Watched watched;
  watched.code = profile::run_beside(
      command_of(program, arguments), [] { return !interrupted(); }, variables(watch, answer));
  emu::program::ProgramOutput told;
  std::ifstream in(answer, std::ios::binary);
  if (!in || !emu::program::read(in, told)) return watched;
  watched.answered = true;
  watched.failure = std::move(told.failure);
  watched.trace = std::move(told.trace);
  watched.launches = std::move(told.launches);
  watched.comparison = std::move(told.comparison);
  for (const auto* names : {&watched.comparison.first, &watched.comparison.second}) {
    const auto is_it = [&](const emu::KernelTrace& kernel) {
      return names->size() == 1 && kernel.name == names->front();
    };
    std::ranges::copy_if(watched.trace.kernels, std::back_inserter(watched.compared), is_it);
  }
  // A launch that failed while it ran has its finding, which says as much and has its kernel beside it.
  const auto same = [&](const emu::Finding& finding) { return watched.failure.ends_with(finding.what); };
  if (watched.failure.find(": caught: ") != std::string::npos || std::ranges::any_of(watched.trace.findings, same))
    watched.failure.clear();
  shorten(watched.trace);
  for (emu::program::Launched& launch : watched.launches) launch.kernel = short_name(launch.kernel);
  return watched;
}

std::string short_name(const std::string& kernel) {
  constexpr std::size_t kMost = 48;
  const std::size_t open = kernel.find('<');
  if (kernel.size() <= kMost || open == std::string::npos || !kernel.ends_with('>')) return kernel;
  return kernel.substr(0, open) + "<…>";
}

}  // namespace cairn::lab::program
