// Copies by one thread or by all threads of a group, as cooperative_groups::memcpy_async and cuda::memcpy_async make
// them. From global to shared memory they are cp.async, which completes as late as the program permits
// (emu/machine/async_copy.hpp). Bytes that cp.async cannot copy, for their address or their number, are copied at
// once, which CUDA permits too.
#pragma once

#include "emu/machine/builtins.hpp"
#include "emu/shadow/emu_scope.h"

namespace cairn::emu {

// Of a group, as far as a copy is concerned.
struct Share {
  unsigned rank = 0, size = 1;
};
inline Share share_of(Share mine) { return mine; }
template <class Group> Share share_of(const Group& group) {
  return {static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size())};
}

template <class Word> void copy_words(char* to, const char* from, std::size_t words, Share mine) {
  for (std::size_t i = mine.rank; i < words; i += mine.size)
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
}

// `issue` is called with a target, a source and 4, 8 or 16 bytes for each piece that cp.async can copy.
template <class Issue>
void copy_share(Share mine, void* to, const void* from, std::size_t bytes, const Issue& issue) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const bool late = is_in_shared(to) && !is_in_shared(from);
  std::size_t done = 0;
  for (const std::size_t width : {std::size_t{16}, std::size_t{8}, std::size_t{4}}) {
    if (both % width != 0) continue;
    const std::size_t words = (bytes - done) / width;
    if (late) {
      for (std::size_t i = mine.rank; i < words; i += mine.size)
        issue(target + done + i * width, source + done + i * width, static_cast<int>(width));
    } else if (width == 16) {
      copy_words<uint4>(target + done, source + done, words, mine);
    } else if (width == 8) {
      copy_words<unsigned long long>(target + done, source + done, words, mine);
    } else {
      copy_words<unsigned>(target + done, source + done, words, mine);
    }
    done += words * width;
  }
  copy_words<unsigned char>(target + done, source + done, bytes - done, mine);
}

// What cuda::aligned_size_t promises.
template <std::size_t Alignment>
void check_alignment(const void* to, const void* from, cuda::aligned_size_t<Alignment> size, Site site) {
  const auto all = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | size.value;
  if (all % Alignment != 0)
    assertion_failed("the size and both addresses are multiples of what cuda::aligned_size_t names", site);
}
inline void check_alignment(const void*, const void*, std::size_t, Site) {}

}  // namespace cairn::emu
