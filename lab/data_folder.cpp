#include "lab/data_folder.hpp"

namespace cairn::lab {

std::filesystem::path data_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = (command.parent_path() / CAIRN_BIN_TO_DATA).lexically_normal();
    if (fs::is_directory(installed / "kernels", error)) return installed;
  }
  return CAIRN_SOURCE_DIR;
}

}  // namespace cairn::lab
