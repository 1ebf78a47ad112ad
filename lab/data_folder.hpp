// Where the project's own files are: the sources of the rungs, the pages, the records.
#pragma once

#include <filesystem>

namespace cairn::lab {

// The folder that has kernels/, device/, docs/ and results/: share/cairn beside the installed command, else the tree this
// was built from.
std::filesystem::path data_folder();

}  // namespace cairn::lab
