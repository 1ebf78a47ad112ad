#include "lab/measure/inputs.hpp"

#include <algorithm>
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

std::vector<std::byte> drawn_ends(std::int64_t rows, std::int64_t groups, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> sums;  // of sizes relative to each other
  for (std::int64_t i = 0; i < groups; ++i)
    sums.push_back((sums.empty() ? 0 : sums.back()) + static_cast<double>(random.integer(1, 32)));
  std::vector<std::byte> bytes(sums.size() * sizeof(std::int32_t));
  auto* ends = reinterpret_cast<std::int32_t*>(bytes.data());
  for (const double sum : sums)
    *ends++ = static_cast<std::int32_t>(std::llround(static_cast<double>(rows) * sum / sums.back()));
  return bytes;
}

std::int64_t first_nan(Type type, const void* elements, std::int64_t count) {
  return with_type(type, [&]<class T>() -> std::int64_t {
    const auto* values = static_cast<const T*>(elements);
    const int workers = workers_for(count);
    std::vector<std::int64_t> found(static_cast<std::size_t>(workers), -1);
    cpu::spread(workers, count, [&](int worker, std::int64_t begin, std::int64_t end) {
      const auto nan =
          std::find_if(values + begin, values + end, [](T value) { return std::isnan(static_cast<double>(value)); });
      if (nan != values + end) found[static_cast<std::size_t>(worker)] = nan - values;
    });
    const auto first = std::ranges::find_if(found, [](std::int64_t index) { return index >= 0; });
    return first == found.end() ? -1 : *first;
  });
}

}  // namespace cairn::lab::measure
