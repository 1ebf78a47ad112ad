// The files of an installed command that it writes itself, when it is built: man pages and completion scripts.
#pragma once

#include <filesystem>

#include <CLI/CLI.hpp>

namespace cairn::lab {

// Below `folder`, as below share/: man/man1/cairn.1, cairn-VERB.1, and the scripts of completion/scripts.hpp.
void write_share(const CLI::App& app, const std::filesystem::path& folder);

}  // namespace cairn::lab
