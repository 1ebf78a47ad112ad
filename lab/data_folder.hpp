// Where the project's own files are: the sources of the rungs, the pages, the records.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cairn::lab {

// The folder that has kernels/, device/, docs/ and results/: share/cairn beside the installed command, else the tree this
// was built from.
std::filesystem::path data_folder();

// A file in it, or else in the current directory: "results/h200/timing.json". Nothing where it is in neither.
std::optional<std::filesystem::path> project_file(const std::string& name);

// A path as short as the user could write it here: below the current directory it begins there.
std::string shown_path(const std::filesystem::path& path);

}  // namespace cairn::lab
