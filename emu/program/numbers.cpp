// The element types of a user's arguments.
#include "cairn/numbers.hpp"

#include <charconv>
#include <cstring>
#include <type_traits>

#include "emu/program/elements.hpp"

namespace cairn::emu::program {

const char* name(Element element) {
  static constexpr const char* kNames[kElements] = {"any", "i8",  "u8",  "i16",  "u16", "i32", "u32",
                                                    "i64", "u64", "f16", "bf16", "f32", "f64"};
  return kNames[static_cast<int>(element)];
}

std::size_t size_of(Element element) {
  return with_element(element, []<class T>() { return sizeof(T); });
}

bool is_real(Element element) { return element >= Element::f16; }

bool store_number(Element element, const std::string& digits, void* out) {
  return with_element(element, [&]<class T>() {
    using Parsed = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 4, T, double>;  // narrow types: by double
    Parsed parsed{};
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, parsed);
    if (error != std::errc{} || stop != end) return false;
    const T value = static_cast<T>(parsed);
    if (out != nullptr) std::memcpy(out, &value, sizeof value);
    return true;
  });
}

}  // namespace cairn::emu::program
