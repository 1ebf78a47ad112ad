#include "lab/measure/inputs.hpp"

#include <cmath>

#include "cairn/numbers.hpp"
#include "lab/random.hpp"
#include "lab/workers.hpp"
#include "src/cpu/threads.hpp"

namespace cairn::lab::measure {
std::vector<std::byte> uniform(Type type, std::int64_t count, std::uint64_t seed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_of(type)));
  with_type(type, [&]<class T>() {
    auto* elements = reinterpret_cast<T*>(bytes.data());
    cpu::spread(workers_for(count), count, [&](int, std::int64_t begin, std::int64_t end) {
      Random random = Random(seed).after(begin);
      for (std::int64_t i = begin; i < end; ++i) elements[i] = static_cast<T>(random.real());
    });
  });
  return bytes;
}

std::int64_t first_nan(Type type, const void* elements, std::int64_t count) {
  return with_type(type, [&]<class T>() -> std::int64_t {
    const auto* values = static_cast<const T*>(elements);
    for (std::int64_t i = 0; i < count; ++i) {
      if (std::isnan(static_cast<double>(values[i]))) return i;
    }
    return -1;
  });
}

}  // namespace cairn::lab::measure
