#include "emu/program/difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "emu/program/elements.hpp"

namespace cairn::emu::program {
namespace {

bool any(const std::vector<bool>& written, std::size_t at, std::size_t bytes) {
  for (std::size_t i = at; i < at + bytes; ++i)
    if (written[i]) return true;
  return false;
}

template <class T> double value_at(const Output& output, std::size_t at) {
  T value;
  std::memcpy(&value, &output.after.bytes[at], sizeof value);
  return static_cast<double>(value);
}

// Two NaNs agree, whatever their bits.
double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return 0;  // infinities too
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

template <class T> Difference compared(const Output& first, const Output& second) {
  Difference found;
  constexpr std::size_t kSize = sizeof(T);
  for (std::size_t at = 0; at < first.written.size(); at += kSize) {
    const bool by_first = any(first.written, at, kSize), by_second = any(second.written, at, kSize);
    if (!by_first && !by_second) continue;
    ++found.elements;
    if (by_first && !by_second && found.left++ == 0) found.gap = at / kSize;
    const double a = value_at<T>(first, at), b = value_at<T>(second, at);
    if (std::isfinite(a)) found.largest = std::max(found.largest, std::abs(a));
    if (std::memcmp(&first.after.bytes[at], &second.after.bytes[at], kSize) == 0) continue;
    const double error = distance(a, b);
    if (found.differing++ == 0 || error > found.error)
      found.error = error, found.at = at / kSize, found.first_value = a, found.second_value = b;
  }
  return found;
}

}  // namespace

Difference difference(const Output& first, const Output& second, Element type) {
  Difference found = with_element(type, [&]<class T>() { return compared<T>(first, second); });
  found.first = {first.after.of.number, first.after.of.bytes};
  found.second = {second.after.of.number, second.after.of.bytes};
  return found;
}

}  // namespace cairn::emu::program
