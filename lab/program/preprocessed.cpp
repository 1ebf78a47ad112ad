#include "lab/program/preprocessed.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace cairn::lab::program {
namespace {

struct Marker {
  bool is = false, system = false;
  std::string file;
  int line = 0;
};

// "# 12 "file.cu" 2 3", as the preprocessor says where the next line comes from; a 3 is for system headers.
Marker marker_of(std::string_view line) {
  Marker marker;
  if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') return marker;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + 2, end, marker.line);
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (error != std::errc{} || open == std::string_view::npos || close == open) return marker;
  marker.is = true;
  marker.file = line.substr(open + 1, close - open - 1);
  marker.system = line.substr(close).find('3') != std::string_view::npos;
  return marker;
}

}  // namespace

std::vector<Stretch> users_lines(std::string_view preprocessed, const std::vector<std::string>& ours) {
  const auto is_ours = [&](const std::string& file) {
    return file.starts_with("<") ||
           std::ranges::any_of(ours, [&](const std::string& folder) { return file.starts_with(folder); });
  };
  std::vector<Stretch> stretches;
  Marker now;  // what comes before the first is the compiler's
  std::size_t begin = 0;
  const auto finish = [&](std::size_t end) {
    if (now.is && !now.system && !is_ours(now.file)) stretches.push_back({begin, end, now.file, now.line});
  };
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size() - 1) + 1;
    const Marker found = marker_of(preprocessed.substr(at, end - at));
    if (found.is) {
      finish(at);
      now = found, begin = end;
    }
    at = end;
  }
  finish(preprocessed.size());
  return stretches;
}

Spot spot_of(std::string_view preprocessed, const std::vector<Stretch>& stretches, std::size_t at, std::string what) {
  const auto next = std::ranges::upper_bound(stretches, at, {}, &Stretch::begin);
  const Stretch& in = *std::prev(next);
  const auto lines = std::ranges::count(preprocessed.substr(in.begin, at - in.begin), '\n');
  return {in.file, in.line + static_cast<int>(lines), std::move(what)};
}

}  // namespace cairn::lab::program
