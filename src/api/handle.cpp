#include "src/api/handle.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "src/api/guard.hpp"

namespace cairn {

Handle::Handle() noexcept = default;
Handle::~Handle() = default;
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;

Status Handle::open(int device, Handle& out) noexcept {
  return api::guarded([&]() -> Status {
    auto impl = std::make_unique<Impl>();
    if (auto s = runtime::open(device, impl->machine); !s.ok()) return s;
    if (auto s = dispatch::split_by_environment(impl->split_by); !s.ok()) return s;
    out.impl_ = std::move(impl);
    return {};
  });
}

int Handle::device() const noexcept { return impl_ ? impl_->machine->facts().device : kCpu; }

void* Handle::stream() const noexcept { return impl_ ? impl_->stream : nullptr; }

Status Handle::set_stream(void* stream) noexcept {
  return api::guarded([&]() -> Status {
    if (!impl_) return {Code::invalid_argument, "handle is not open; open it with Handle::open"};
    if (impl_->machine->facts().kind != runtime::Kind::gpu && stream != nullptr) {
      return {Code::invalid_argument,
              "stream is not null; " + impl_->machine->facts().name + " has only the null stream"};
    }
    impl_->stream = stream;
    return {};
  });
}

Compute Handle::f32() const noexcept {
  return impl_ && impl_->split_by != dispatch::SplitBy::nobody ? Compute::split : Compute::native;
}

Status Handle::set_f32(Compute f32) noexcept {
  return api::guarded([&]() -> Status {
    if (!impl_) return {Code::invalid_argument, "handle is not open; open it with Handle::open"};
    if (f32 != Compute::native && f32 != Compute::split) {
      const std::string given = f32 > Compute::fast ? std::to_string(static_cast<int>(f32)) : std::string(name(f32));
      return {Code::invalid_argument, "f32 is " + given + "; it must be native or split"};
    }
    impl_->split_by = f32 == Compute::split ? dispatch::SplitBy::handle : dispatch::SplitBy::nobody;
    return {};
  });
}

Status Handle::set_workspace(void* workspace, std::size_t bytes) noexcept {
  return api::guarded([&]() -> Status {
    if (!impl_) return {Code::invalid_argument, "handle is not open; open it with Handle::open"};
    if (workspace == nullptr && bytes != 0) {
      return {Code::invalid_argument,
              "workspace is null with " + std::to_string(bytes) + " bytes; a null workspace must have 0 bytes"};
    }
    if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) {
      return {Code::invalid_argument, "workspace is not aligned; its address must be a multiple of 256"};
    }
    impl_->lent = workspace;
    impl_->lent_bytes = bytes;
    return {};
  });
}

Status Handle::Impl::workspace(std::size_t bytes, std::span<std::byte>& out) {
  if (lent != nullptr) {
    if (lent_bytes < bytes) {
      return {Code::workspace_too_small,
              "workspace has " + std::to_string(lent_bytes) + " bytes; this plan needs " + std::to_string(bytes)};
    }
    out = {static_cast<std::byte*>(lent), lent_bytes};
    return {};
  }
  if (own.bytes() < bytes) {
    // Work that still uses the old buffer must end before it is freed.
    if (auto s = machine->synchronize(stream); !s.ok()) return s;
    runtime::Buffer larger;
    if (auto s = runtime::Buffer::make(machine, bytes, larger); !s.ok()) return s;
    own = std::move(larger);
  }
  out = {static_cast<std::byte*>(own.data()), own.bytes()};
  return {};
}

}  // namespace cairn
