// Of the plain program; the traced one has watched.cpp instead.
#include "emu/program/watch.hpp"

namespace cairn::emu::program {

void watch_from_now() {}

}  // namespace cairn::emu::program
