// Stands in for CUDA's header of this name: copies by all threads of a group, which complete at wait()
// (emu/shadow/emu_copy.h).
#pragma once

#include "emu/shadow/cooperative_groups.h"
#include "emu/shadow/emu_copy.h"

namespace cooperative_groups {

namespace details {

template <class Group>
void copy(const Group& group, void* to, const void* from, std::size_t bytes, cairn::emu::Site site) {
  const auto issue = [&](void* target, const void* source, int width) {
    cairn::emu::copy_issue(target, source, width, width, site);
  };
  cairn::emu::copy_share(cairn::emu::share_of(group), to, from, bytes, issue);
  cairn::emu::copy_commit(site);
}

}  // namespace details

// Every thread of the group calls this with the same arguments.
template <class Group>
void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes,
                  cairn::emu::Site site = cairn::emu::Site::current()) {
  details::copy(group, to, from, bytes, site);
}
// Counts of elements: the smaller one is copied.
template <class Group, class T, class U>
void memcpy_async(const Group& group, T* to, std::size_t to_count, const U* from, std::size_t from_count,
                  cairn::emu::Site site = cairn::emu::Site::current()) {
  static_assert(sizeof(T) == sizeof(U));
  details::copy(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T), site);
}

// Until all copies of the group's threads are complete, or all but those of the last `left` calls.
template <class Group> void wait(const Group& group, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::copy_wait_all(site);
  group.sync(site);
}
template <unsigned left, class Group>
void wait_prior(const Group& group, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::copy_wait(static_cast<int>(left), site);
  group.sync(site);
}

}  // namespace cooperative_groups
