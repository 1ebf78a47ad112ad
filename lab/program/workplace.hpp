// Where files are written that nobody keeps.
#pragma once

#include <string>

#include "lab/leftovers.hpp"

namespace cairn::lab::program {

// A folder in the system's folder for temporary files, gone when this object is or a signal ends the command.
class Workplace {
 public:
  Workplace();
  std::string operator/(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryPath folder_;
};

}  // namespace cairn::lab::program
