#include "python/native/handles.hpp"

#include <utility>
#include <vector>

#include "python/native/failure.hpp"

namespace cairn_python {
namespace {

class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (const auto& [device, handle] : open_) cairn_destroy(handle);
  }

  cairn_handle of(int device) {
    for (const auto& [known, handle] : open_)
      if (known == device) return handle;
    cairn_handle handle = nullptr;
    check(cairn_create(&handle, device));
    open_.emplace_back(device, handle);
    return handle;
  }

 private:
  std::vector<std::pair<int, cairn_handle>> open_;  // a few: searched faster than a map
};

}  // namespace

cairn_handle handle_of(int device) {
  static thread_local Handles handles;
  return handles.of(device);
}

}  // namespace cairn_python
