// What could stand at the cursor: the answer to `cairn __complete WORD…`, which the scripts of the shells ask.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cairn::lab {

// `words` are those behind the command's name; the last is the one at the cursor, and may be empty. A line is a word, or
// a word, a tab and what it means. The line ":files" or ":folders" asks the shell for names of its own.
std::string complete(const CLI::App& app, std::vector<std::string> words);

}  // namespace cairn::lab
