#include "lab/project_files.hpp"

#include <vector>

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> roots() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return {CAIRN_SOURCE_DIR, program.parent_path() / CAIRN_BIN_TO_DATA, "."};
}

}  // namespace

std::optional<fs::path> project_file(const std::string& name) {
  std::error_code ignored;
  for (const fs::path& root : roots()) {
    if (fs::is_regular_file(root / name, ignored)) return (root / name).lexically_normal();
  }
  return {};
}

std::string shown_path(const fs::path& path) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed || path.is_relative()) return path.string();
  const fs::path below = path.lexically_relative(here);
  return below.empty() || *below.begin() == ".." ? path.string() : below.string();
}

}  // namespace cairn::lab
