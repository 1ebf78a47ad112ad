#include "lab/program/toolchain.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::program {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The program of that path, or of that name on the PATH; empty if there is none.
std::string program(const std::string& path, const std::string& name) {
  if (!path.empty() && ::access(path.c_str(), X_OK) == 0) return path;
  const char* folders = std::getenv("PATH");
  std::istringstream all(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(all, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return "";
}

// Where the installed command keeps its files, if this is one.
bool look_beside_command(const Build& build, Tools& tools) {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return false;
  const fs::path here = command.parent_path();
  const fs::path libraries = here / build.to_lib, headers = here / build.to_headers;
  if (!is_there(headers / "emu/shadow/cuda_runtime.h")) return false;
  tools.includes.clear(), tools.libraries.clear();
  for (const fs::path& folder :
       {headers / "emu/shadow", headers / "emu/shadow/refused", headers, here / build.to_include})
    tools.includes.push_back(folder.lexically_normal().string());
  for (const std::string& file : build.libraries)
    tools.libraries.push_back((libraries / fs::path(file).filename()).lexically_normal().string());
  for (std::string& file : tools.cublas) {
    if (file.find("libcairn_") != std::string::npos)
      file = (libraries / fs::path(file).filename()).lexically_normal().string();
    else if (!is_there(file))
      file = "-lopenblas";  // built on another machine
  }
  return true;
}

}  // namespace

std::string find_program(const std::string& name) {
  std::string path = program("", name);
  if (path.empty()) throw Error(kLacking, fmt::format("{} is not on the PATH", name));
  return path;
}

const std::string& Tools::library(const std::string& name) const {
  for (const std::string& file : libraries)
    if (file.ends_with("libcairn_emu_" + name + ".a")) return file;
  throw Error(kLacking, fmt::format("this build has no libcairn_emu_{}.a", name));
}

Tools find_tools(const Build& build) {
  Tools tools{program(build.compiler, "g++"),
              program("", "readelf"),
              build.plain,
              build.traced,
              build.includes,
              build.libraries,
              build.cublas};
  if (tools.compiler.empty()) {
    throw Error(kLacking, "CUDA sources are compiled by g++, which is not on the PATH");
  }
  if (tools.readelf.empty() || program("", "addr2line").empty()) {
    throw Error(kLacking, "CUDA sources need readelf and addr2line (binutils), which are not on the PATH");
  }
  look_beside_command(build, tools);
  if (!build.fibers.empty()) tools.libraries.push_back(build.fibers);
  std::vector<std::string> needed = tools.libraries;
  needed.push_back(tools.includes.at(0) + "/cuda_runtime.h");
  for (const std::string& file : needed) {
    if (!is_there(file)) throw Error(kLacking, fmt::format("CUDA sources need {}, which is not there", file));
  }
  return tools;
}

}  // namespace cairn::lab::program
