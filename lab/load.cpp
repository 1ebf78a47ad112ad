#include "lab/load.hpp"

#include <dlfcn.h>

namespace cairn::lab {

Loaded::Loaded(const std::vector<std::string>& names, const std::string& folder) {
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) library = dlopen((folder + "/" + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      missing_ = name + " cannot be loaded: " + (why == nullptr ? "no reason given" : why);
      return;
    }
    libraries_.push_back(library);
  }
}

void* Loaded::find(const char* symbol) const {
  for (void* library : libraries_) {
    if (void* found = dlsym(library, symbol); found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace cairn::lab
