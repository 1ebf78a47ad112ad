// Files of the project that the command reads where they are: records and pages.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cairn::lab {

// Looked for in the tree this was built from, in the data folder of an installed Cairn, and in the current directory.
// `name` is below one of them: "results/h200/timing.json". Nothing where it is in none.
std::optional<std::filesystem::path> project_file(const std::string& name);

// A path as short as the user could write it here: below the current directory it begins there.
std::string shown_path(const std::filesystem::path& path);

}  // namespace cairn::lab
