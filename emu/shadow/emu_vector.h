// CUDA's short vectors and dim3. An 8- or 16-byte vector is copied by one access, as on a GPU: through a may_alias
// type, because g++ would copy a struct of floats member by member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cairn::emu {

// An object of `bytes` as one value.
template <std::size_t bytes> struct Whole;
template <> struct Whole<4> { using type [[gnu::may_alias]] = std::uint32_t; };
template <> struct Whole<8> { using type [[gnu::may_alias]] = std::uint64_t; };
template <> struct Whole<16> { typedef std::uint32_t type __attribute__((vector_size(16), may_alias)); };

// GPUs load at most 16 bytes at once; what is larger, or of an odd size, is copied member by member.
template <std::size_t bytes> inline constexpr bool is_whole = bytes == 4 || bytes == 8 || bytes == 16;

template <class T> void copy_whole(T& to, const T& from) {
  using Value = typename Whole<sizeof(T)>::type;
  reinterpret_cast<Value&>(to) = reinterpret_cast<const Value&>(from);
}

template <class T> inline constexpr std::size_t vec2_align = 2 * sizeof(T) > 16 ? 16 : 2 * sizeof(T);
template <class T> inline constexpr std::size_t vec4_align = 4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T);

template <class T> struct Vec1 { T x; };

template <class T> struct alignas(vec2_align<T>) Vec2 {
  T x, y;

  Vec2() = default;
  // CUDA's are aggregates, so `float2 v = {x}` sets the rest to 0; Vec4 likewise.
  constexpr Vec2(T x_, T y_ = T()) : x(x_), y(y_) {}
  constexpr Vec2(const Vec2& other) { *this = other; }
  constexpr Vec2& operator=(const Vec2& other) {
    if constexpr (is_whole<sizeof(Vec2)>) {
      if (!std::is_constant_evaluated()) {
        copy_whole(*this, other);
        return *this;
      }
    }
    x = other.x;
    y = other.y;
    return *this;
  }
};

template <class T> struct Vec3 { T x, y, z; };

template <class T> struct alignas(vec4_align<T>) Vec4 {
  T x, y, z, w;

  Vec4() = default;
  constexpr Vec4(T x_, T y_ = T(), T z_ = T(), T w_ = T()) : x(x_), y(y_), z(z_), w(w_) {}
  constexpr Vec4(const Vec4& other) { *this = other; }
  constexpr Vec4& operator=(const Vec4& other) {
    if constexpr (is_whole<sizeof(Vec4)>) {
      if (!std::is_constant_evaluated()) {
        copy_whole(*this, other);
        return *this;
      }
    }
    x = other.x;
    y = other.y;
    z = other.z;
    w = other.w;
    return *this;
  }
};

}  // namespace cairn::emu
