// Vectors as BLAS describes them, for the calls that the C API has no counterpart of. They are loops over a wider type,
// rounded once: checks are what programs use them for.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "faces/cublas/context.hpp"

namespace cairn::cublas {

// What sums of T are kept in.
template <class T> using Wide = std::conditional_t<std::same_as<T, float>, double, long double>;

template <class T> Wide<T> widen(T x) { return static_cast<Wide<T>>(x); }

// n elements, `step` apart. With a negative step the first is the one with the highest address.
template <class T> struct Vector {
  T* first;
  std::int64_t n, step;

  Vector(T* data, std::int64_t count, std::int64_t increment)
      : first(increment < 0 && count > 0 ? data + (1 - count) * increment : data), n(count), step(increment) {}
  T& operator[](std::int64_t i) const { return first[i * step]; }

  void note_written() const {
    T* const lowest = step < 0 ? first + (n - 1) * step : first;
    written(lowest, sizeof(T), n, std::abs(step) * static_cast<std::int64_t>(sizeof(T)));
  }
};

}  // namespace cairn::cublas
