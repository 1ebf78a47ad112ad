// The command as it was called, for records: what to type to do it again.
#pragma once

#include <string>

namespace cairn::lab {

// Remembers the arguments of main().
void set_invocation(int argc, const char* const* argv);

// "cairn bench 'simt/*' --shape 4096", quoted for a shell where it must be; the program by its name and not its path,
// and without the flags that say where results go.
std::string invocation();

}  // namespace cairn::lab
