#include "lab/program/workplace.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::program {

namespace fs = std::filesystem;

Workplace::Workplace()
    : folder_([] {
        std::string name = (fs::temp_directory_path() / "cairn_program_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw Error(kFailed, fmt::format("cannot make the folder {}", name));
        return fs::path(name);
      }) {}

}  // namespace cairn::lab::program
