// Included first in every file of the library (see core.cmake). What the public headers declare is visible, inline
// functions too, which are hidden elsewhere. This says so in one place instead of a macro on every declaration, and the
// headers themselves stay free of it: a program that uses Cairn has no need to know.
#pragma once

#pragma GCC visibility push(default)
#include "cairn/cairn.h"
#include "cairn/cairn.hpp"
#pragma GCC visibility pop
