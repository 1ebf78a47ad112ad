#include "lab/data_folder.hpp"

namespace cairn::lab {

namespace fs = std::filesystem;

fs::path data_folder() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    fs::path installed = (command.parent_path() / CAIRN_BIN_TO_DATA).lexically_normal();
    if (fs::is_directory(installed / "kernels", error)) return installed;
  }
  return CAIRN_SOURCE_DIR;
}

std::optional<fs::path> project_file(const std::string& name) {
  std::error_code ignored;
  for (const fs::path& folder : {data_folder(), fs::path(".")})
    if (fs::is_regular_file(folder / name, ignored)) return (folder / name).lexically_normal();
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
