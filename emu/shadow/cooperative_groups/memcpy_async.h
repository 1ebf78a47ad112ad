// Stands in for CUDA's header of this name: copies by all threads of a group. From global to shared memory they are
// cp.async, which completes as late as the program permits (emu/machine/async_copy.hpp): at wait(). Bytes that
// cp.async cannot copy, for their address or their number, are copied at once, which CUDA permits too.
#pragma once

#include "emu/shadow/cooperative_groups.h"

namespace cooperative_groups {

namespace details {

template <class Word> void copy_words(char* to, const char* from, std::size_t words, unsigned rank, unsigned size) {
  for (std::size_t i = rank; i < words; i += size)
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
}

template <class Group>
void copy(const Group& group, void* to, const void* from, std::size_t bytes, cairn::emu::Site site) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const auto rank = static_cast<unsigned>(group.thread_rank()), size = static_cast<unsigned>(group.size());
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const bool late = cairn::emu::is_in_shared(to) && !cairn::emu::is_in_shared(from);
  std::size_t done = 0;
  for (const std::size_t width : {std::size_t{16}, std::size_t{4}}) {
    if (both % width != 0) continue;
    const std::size_t words = (bytes - done) / width;
    if (late) {
      for (std::size_t i = rank; i < words; i += size) {
        const std::size_t at = done + i * width;
        cairn::emu::copy_issue(target + at, source + at, static_cast<int>(width), static_cast<int>(width), site);
      }
    } else if (width == 16) {
      copy_words<uint4>(target + done, source + done, words, rank, size);
    } else {
      copy_words<unsigned>(target + done, source + done, words, rank, size);
    }
    done += words * width;
  }
  copy_words<unsigned char>(target + done, source + done, bytes - done, rank, size);
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
