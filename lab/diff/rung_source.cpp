#include "lab/diff/rung_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "kernels/ladder.hpp"
#include "lab/exit.hpp"
#include "lab/nearest.hpp"

namespace cairn::lab::diff {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<const OwnNames*>& rungs) {
  std::string ids;
  for (const OwnNames* rung : rungs) ids += (ids.empty() ? "" : ", ") + rung->id;
  return ids;
}

// The next line, without its line break.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::vector<OwnNames> rungs_of_this_build() {
  const Ladder ladder = emulated_ladder().empty() ? cuda_ladder() : emulated_ladder();
  if (ladder.empty()) throw Error(kLacking, "this build has no rungs: it has neither CUDA nor the emulator");
  std::vector<OwnNames> all;
  for (const Rung* rung : ladder) all.push_back({std::string(rung->id), std::string(rung->title)});
  return all;
}

const OwnNames& find_rung(const std::string& wanted, const std::vector<OwnNames>& all) {
  std::vector<const OwnNames*> found;
  std::vector<std::string> ids;
  for (const OwnNames& rung : all) {
    if (rung.id == wanted) return rung;
    if (!wanted.empty() && rung.id.starts_with(wanted)) found.push_back(&rung);
    ids.push_back(rung.id);
  }
  if (found.empty())
    throw Error(kUsage,
                fmt::format("no rung is named '{}'; {} (cairn diff has all)", wanted, nearest_text(wanted, ids)));
  if (found.size() > 1)
    throw Error(kUsage, fmt::format("'{}' could be {}; write more of the id", wanted, joined(found)));
  return *found[0];
}

const OwnNames& parent_of(const RungSource& rung, const std::vector<OwnNames>& all) {
  const std::string& id = rung.names.id;
  if (rung.first_of_trail() || rung.parent.empty()) {
    throw Error(kUsage, fmt::format("{} {}; name a rung to compare it with: cairn diff {} RUNG", id,
                                    rung.parent.empty() ? "names no parent (its head has no line '// From')"
                                                        : "is the first of its trail and has no parent",
                                    id));
  }
  const auto found = std::ranges::find(all, rung.parent, &OwnNames::id);
  if (found == all.end())
    throw Error(kFailed, fmt::format("{}: '// From {}' is no rung of the ladder", rung.file, rung.parent));
  return *found;
}

std::string parent_in_head(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  while (text.starts_with("//")) {
    std::string_view line = take_line(text);
    line.remove_prefix(2);
    if (take_word(line) == "From") return std::string(take_word(line));
  }
  return "";
}

RungSource read_rung(const OwnNames& names, const std::vector<std::string>& roots) {
  RungSource source{names, "kernels/" + names.id + ".cu", "", ""};
  for (const std::string& root : roots) {
    const fs::path path = fs::path(root) / source.file;
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) continue;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw Error(kFailed, fmt::format("cannot read {}", path.string()));
    source.text = text.str();
    source.parent = parent_in_head(source.text);
    const std::string folder = "kernels/" + names.id;
    if (fs::is_directory(fs::path(root) / folder, ignored)) source.folder = folder + "/";
    return source;
  }
  throw Error(kLacking, fmt::format("{} is not in {}; --source DIR names a folder with Cairn's sources", source.file,
                                    fmt::join(roots, ", nor in ")));
}

}  // namespace cairn::lab::diff
