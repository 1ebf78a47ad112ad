// Shared libraries that are loaded at first use, and may be missing.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab {

// Loaded for good: nothing is unloaded before the process ends.
class Loaded {
 public:
  // Each is looked for where the system looks, then in `folder`. In the order given: the first may be needed by the
  // second.
  Loaded(const std::vector<std::string>& names, const std::string& folder);

  // What could not be loaded and why; empty if all is there.
  const std::string& missing() const { return missing_; }
  // Null if none of them has it.
  void* find(const char* symbol) const;

 private:
  std::vector<void*> libraries_;
  std::string missing_;
};

}  // namespace cairn::lab
