#include "lab/trace/source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "lab/data_folder.hpp"
#include "lab/trace/ratios.hpp"

namespace cairn::lab::trace {
namespace {

constexpr int kAround = 3;  // lines shown before the first and after the last that was counted

std::vector<std::string> read(const std::string& file, const std::vector<std::string>& roots) {
  std::vector<std::string> lines;
  for (const std::string& root : roots) {
    std::ifstream in(std::filesystem::path(root) / file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (!lines.empty()) break;
  }
  return lines;
}

struct Counted {
  std::map<int, const emu::LineCounters*> lines;
  std::uint64_t requests = 0;
};

Listing listing(const std::string& file, const Counted& counted, const std::vector<std::string>& roots) {
  Listing result{file, {}};
  const std::vector<std::string> text = read(file, roots);
  const int last = counted.lines.rbegin()->first, size = static_cast<int>(text.size());
  if (last > size || counted.lines.begin()->first < 1) return result;
  const int end = std::min(size, last + kAround);
  for (int number = std::max(1, counted.lines.begin()->first - kAround); number <= end; ++number) {
    const auto found = counted.lines.find(number);
    result.lines.push_back(
        {number, text[static_cast<std::size_t>(number) - 1], found == counted.lines.end() ? nullptr : found->second});
  }
  return result;
}

}  // namespace

std::vector<std::string> source_roots() { return {data_folder().string(), "."}; }

std::vector<std::string> own_roots() {
  std::vector<std::string> roots = source_roots();
  std::ranges::reverse(roots);
  return roots;
}

std::vector<Listing> listings(const emu::KernelTrace& kernel, const std::vector<std::string>& roots) {
  std::map<std::string, Counted> files;
  for (const emu::LineCounters& line : kernel.lines) {
    if (line.place.file.empty()) continue;
    Counted& counted = files[line.place.file];
    counted.lines[line.place.line] = &line;
    counted.requests += global_requests(line.counters) + shared_requests(line.counters);
  }
  std::vector<std::pair<std::uint64_t, Listing>> ordered;
  ordered.reserve(files.size());
  for (const auto& [file, counted] : files) ordered.emplace_back(counted.requests, listing(file, counted, roots));
  std::ranges::stable_sort(ordered, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Listing> result;
  result.reserve(ordered.size());
  for (auto& [requests, one] : ordered) result.push_back(std::move(one));
  return result;
}

std::string text_of(const std::vector<Listing>& all, const emu::Place& place) {
  for (const Listing& one : all) {
    if (one.file != place.file) continue;
    for (const SourceLine& line : one.lines) {
      if (line.number != place.line) continue;
      const std::size_t first = line.text.find_first_not_of(" \t");
      return first == std::string::npos ? "" : line.text.substr(first);
    }
  }
  return "";
}

}  // namespace cairn::lab::trace
