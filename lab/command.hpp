// The `cairn` command: reads the command line, runs one verb, turns every way to end into an exit code and, where
// something is wrong, one line on stderr.
#pragma once

namespace cairn::lab {

int run_command(int argc, const char* const* argv);

}  // namespace cairn::lab
