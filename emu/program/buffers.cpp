#include "emu/program/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "emu/machine/device_memory.hpp"
#include "emu/machine/random.hpp"
#include "emu/machine/settings.hpp"
#include "emu/program/elements.hpp"
#include "emu/trace/access_history.hpp"

namespace cairn::emu::program {
namespace {

constexpr std::uint64_t kShown = 8;  // values of a buffer

// Small whole numbers for integers, [-1, 1) in steps of 2^-23 for reals.
template <class T> T drawn(Random& random) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(random.below(101));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int>(random.below(201)) - 100);
  } else {
    return static_cast<T>(static_cast<double>(random.below(1u << 24)) * 0x1p-23 - 1);
  }
}

template <class T> std::vector<T> filled(const Argument& wanted, std::uint64_t seed) {
  std::vector<T> values(wanted.count);
  Random random(seed);
  T number{};
  if (wanted.filling == Filling::number) store_number(wanted.element, wanted.digits, &number);
  for (std::uint64_t i = 0; i < wanted.count; ++i) {
    if (wanted.filling == Filling::iota) values[i] = static_cast<T>(static_cast<double>(i));
    if (wanted.filling == Filling::random) values[i] = drawn<T>(random);
    if (wanted.filling == Filling::number) values[i] = number;
  }
  return values;
}

}  // namespace

std::string Buffers::add(std::uint64_t number, const Argument& wanted, std::uint64_t seed, void** device) {
  const std::size_t size = size_of(wanted.element), most = device_facts().memory_bytes;
  if (wanted.count > most / size) return "is more than the " + std::to_string(most >> 20) + " MB of the device";
  if (const Status s = allocate(wanted.count * size, device); !s.ok()) return "cannot be had: " + s.message();
  if (wanted.filling != Filling::unset) {
    with_element(wanted.element, [&]<class T>() {
      const std::vector<T> values = filled<T>(wanted, mix(seed) + number);
      (void)copy_in(*device, values.data(), values.size() * sizeof(T));
    });
  }
  Buffer buffer;
  buffer.argument = number, buffer.element = wanted.element, buffer.count = wanted.count;
  all_.push_back({std::move(buffer), static_cast<unsigned char*>(*device)});
  return "";
}

std::vector<Buffer> Buffers::look(bool writes_seen) const {
  std::vector<Buffer> seen;
  seen.reserve(all_.size());
  for (const auto& [buffer, device] : all_) {
    Buffer now = buffer;
    const std::size_t size = size_of(now.element);
    const bool whole = !writes_seen || count_unwritten(device, now.count * size, nullptr) == 0;
    for (std::uint64_t i = 0; i < (whole ? std::min(now.count, kShown) : now.count); ++i) {
      const unsigned char* at = device + i * size;
      const bool written = whole || count_unwritten(at, size, nullptr) == 0;
      if (!written && now.unwritten++ == 0) now.gap = i;
      if (i >= kShown) continue;
      now.written.push_back(written);
      now.first.push_back(with_element(now.element, [&]<class T>() {
        T value;
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
      }));
    }
    seen.push_back(std::move(now));
  }
  return seen;
}

}  // namespace cairn::emu::program
