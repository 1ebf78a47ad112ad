// From an element's name to its C++ type.
#pragma once

#include "cairn/numbers.hpp"
#include "emu/program/wire.hpp"

namespace cairn::emu::program {

// f.template operator()<T>() with the type of the element; `any` is a double.
template <class F> decltype(auto) with_element(Element element, F&& f) {
  switch (element) {
    case Element::i8: return f.template operator()<std::int8_t>();
    case Element::u8: return f.template operator()<std::uint8_t>();
    case Element::i16: return f.template operator()<std::int16_t>();
    case Element::u16: return f.template operator()<std::uint16_t>();
    case Element::i32: return f.template operator()<std::int32_t>();
    case Element::u32: return f.template operator()<std::uint32_t>();
    case Element::i64: return f.template operator()<std::int64_t>();
    case Element::u64: return f.template operator()<std::uint64_t>();
    case Element::f16: return f.template operator()<cairn::f16>();
    case Element::bf16: return f.template operator()<cairn::bf16>();
    case Element::f32: return f.template operator()<float>();
    case Element::f64:
    case Element::any: break;
  }
  return f.template operator()<double>();
}

}  // namespace cairn::emu::program
