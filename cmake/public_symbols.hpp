// Included first in every file of the library (see core.cmake). The library is compiled with hidden
// symbols; what the public headers declare is the exception, and this says so in one place instead
// of a macro on every declaration. The headers themselves stay free of it: a program that uses
// Cairn has no need to know.
#pragma once

#pragma GCC visibility push(default)
#include "cairn/cairn.h"
#include "cairn/cairn.hpp"
#pragma GCC visibility pop
