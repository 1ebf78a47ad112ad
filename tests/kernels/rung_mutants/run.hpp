// Running a mutant, or the rung it was made of, on both emulators, and saying what is wrong with it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "emu/trace.hpp"
#include "kernels/ladder.hpp"

extern "C" const cairn::emu::Entry* cairn_emu_plain_mutants(void);
extern "C" const cairn::emu::TracedEntry* cairn_emu_traced_mutants(void);

namespace cairn {

inline constexpr std::uint64_t kSeeds[] = {1, 2, 3};  // of the order in which threads run

struct Shape {
  std::int64_t m, n, k;
};

inline const Rung& rung(const emu::Entry& emulator, std::string_view id) {
  std::size_t count = 0;
  const auto* first = static_cast<const Rung* const*>(emulator.ladder(&count));
  for (const Rung* rung : Ladder(first, count))
    if (rung->id == id) return *rung;
  throw std::runtime_error("no ladder of this test has " + std::string(id));
}

// Small integers in no simple pattern: every sum of products is exact, whatever its order. Or these behind an
// infinity. Or numbers that take all bits their type has, for what happens to the inputs, and those without their
// signs.
enum class Values : std::uint8_t { integers, infinity, real, positive };
inline bool are_exact(Values values) { return values == Values::integers || values == Values::infinity; }

// A packed matrix on an emulated device, so many elements behind where its memory begins.
class Matrix {
 public:
  Matrix(const emu::Entry& emulator, Type type, std::int64_t elements, std::int64_t offset = 0)
      : emulator_(emulator),
        type_(type),
        offset_(offset),
        bytes_(static_cast<std::size_t>((offset + elements) * size_of(type))) {
    EXPECT_TRUE(emulator_.allocate(bytes_.size(), &device_).ok());
  }
  ~Matrix() { EXPECT_TRUE(emulator_.free(device_).ok()); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void draw(std::uint64_t seed, Values values) {
    with_type(type_, [&]<class T>() {
      for (std::size_t at = 0; at < bytes_.size(); at += sizeof(T)) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double real = static_cast<double>(seed >> 11) * 0x1p-52 - 1;
        double value = values == Values::real ? real : std::fabs(real);
        if (are_exact(values)) value = static_cast<double>(static_cast<int>(seed >> 60) - 8);
        if (values == Values::infinity && at == 0) value = std::numeric_limits<double>::infinity();
        const T element = static_cast<T>(value);
        std::memcpy(&bytes_[at], &element, sizeof(T));
      }
    });
    EXPECT_TRUE(emulator_.copy_in(device_, bytes_.data(), bytes_.size()).ok());
  }
  void fill(const std::vector<double>& values) {
    with_type(type_, [&]<class T>() {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const T element = static_cast<T>(values[i]);
        std::memcpy(&bytes_[(static_cast<std::size_t>(offset_) + i) * sizeof(T)], &element, sizeof(T));
      }
    });
    EXPECT_TRUE(emulator_.copy_in(device_, bytes_.data(), bytes_.size()).ok());
  }
  void fetch() { EXPECT_TRUE(emulator_.copy_out(bytes_.data(), device_, bytes_.size()).ok()); }
  // Has anybody written to it since it was drawn?
  bool changed() const {
    std::vector<std::byte> now(bytes_.size());
    EXPECT_TRUE(emulator_.copy_out(now.data(), device_, now.size()).ok());
    return now != bytes_;
  }
  void* device() const { return static_cast<std::byte*>(device_) + offset_ * size_of(type_); }
  double at(std::int64_t index) const {
    return with_type(type_, [&]<class T>() {
      T element;
      std::memcpy(&element, &bytes_[static_cast<std::size_t>(offset_ + index) * sizeof(T)], sizeof(T));
      return static_cast<double>(element);
    });
  }

 private:
  const emu::Entry& emulator_;
  Type type_;
  std::int64_t offset_;
  std::vector<std::byte> bytes_;
  void* device_ = nullptr;
};

// As the type has it.
inline double rounded(Type type, double value) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<T>(value)); });
}

// The first element of C that is wrong, in words; empty if there is none. Behind a row there is nothing but the NaN
// of fresh memory.
inline std::string wrong(const Problem& p, const Matrix& A, const Matrix& B, const Matrix& C) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.ldc; ++j) {
      double sum = j < p.n ? 0 : std::numeric_limits<double>::quiet_NaN();
      for (std::int64_t k = 0; j < p.n && k < p.k; ++k) sum += A.at(i * p.lda + k) * B.at(k * p.ldb + j);
      const double is = C.at(i * p.ldc + j), should = rounded(p.out, sum);
      if (is == should || (std::isnan(is) && std::isnan(should))) continue;
      return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(is) + "; it should be " +
             std::to_string(should);
    }
  }
  return "";
}

// Of the types a rung takes the first that go into f32 or f64, where sums of integers stay exact.
inline Problem problem_for(const Rung& rung, const Shape& s) {
  for (const Types& types : rung.types) {
    if (types.out != Type::f32 && types.out != Type::f64) continue;
    Problem p = Problem::packed(types.in, Op::none, Op::none, s.m, s.n, s.k);
    p.out = types.out, p.compute = types.compute;
    return p;
  }
  throw std::runtime_error(std::string(rung.id) + " has no product into f32 or f64");
}

// C = A B with a tile of a rung, on a GPU of so many SMs: the launch's report, or what is wrong with A, B or C, or
// nothing. The C of real numbers is not looked at. A and B begin `offset` elements behind a multiple of 256 bytes.
inline std::string run(const emu::Entry& emulator, const Rung& rung, const Problem& p, int tile, std::uint64_t seed,
                       Values values, int units = 1, std::int64_t offset = 0) {
  emulator.configure({.seed = seed, .threads = 1});
  Matrix A(emulator, p.in, p.m * p.lda, offset), B(emulator, p.in, p.k * p.ldb, offset);
  Matrix C(emulator, p.out, p.m * p.ldc);
  A.draw(seed, values), B.draw(~seed, values);
  Choice choice;
  if (rung.choose != nullptr) choice = rung.choose({p, {90, units}, tile});
  const std::size_t bytes = choice.scratch_bytes;
  Matrix scratch(emulator, Type::f32, static_cast<std::int64_t>(bytes / sizeof(float)));
  const std::span memory(static_cast<std::byte*>(scratch.device()), bytes);
  Status status = rung.launch({p, 1, A.device(), B.device(), 0, C.device(), units, memory, &choice}, tile, nullptr);
  const Status late = emulator.take_error();
  if (status.ok()) status = late;
  if (!status.ok()) return status.message();
  if (A.changed()) return "A was written";
  if (B.changed()) return "B was written";
  C.fetch();
  return are_exact(values) ? wrong(p, A, B, C) : "";
}

inline const emu::Entry& plain_of(std::string_view id) {
  return id.starts_with("mutant/") ? *cairn_emu_plain_mutants() : *cairn_emu_plain();
}
inline const emu::TracedEntry& traced_of(std::string_view id) {
  return id.starts_with("mutant/") ? *cairn_emu_traced_mutants() : *cairn_emu_traced();
}

// The same on the plain emulator.
inline std::string plain(std::string_view id, const Shape& s, std::uint64_t seed, int tile = 0,
                         Values values = Values::integers) {
  const Rung& chosen = rung(plain_of(id), id);
  return run(plain_of(id), chosen, problem_for(chosen, s), tile, seed, values);
}

struct Traced {
  std::string failure;  // as above
  std::vector<emu::Finding> findings;

  std::string all() const {
    std::string text = failure;
    for (const emu::Finding& f : findings)
      text += (text.empty() ? "" : "\n") + std::string(name(f.fault)) + ": " + f.what;
    return text;
  }
};

// And on the traced one, under all detectors.
inline Traced traced(std::string_view id, const Problem& p, std::uint64_t seed, int tile, int units) {
  const emu::TracedEntry& entry = traced_of(id);
  entry.begin({});
  Traced result;
  result.failure = run(entry.emulator, rung(entry.emulator, id), p, tile, seed, Values::integers, units);
  emu::Trace trace;
  entry.take(trace);
  result.findings = trace.findings;
  return result;
}
inline Traced traced(std::string_view id, const Shape& s, std::uint64_t seed, int tile = 0) {
  return traced(id, problem_for(rung(traced_of(id).emulator, id), s), seed, tile, 1);
}

// Nothing is wrong, on either emulator.
inline void expect_honest(std::string_view id, const Shape& s, int tile = 0) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(plain(id, s, seed, tile), "") << id << ", k " << s.k << ", seed " << seed;
    EXPECT_EQ(traced(id, s, seed, tile).all(), "") << id << ", k " << s.k << ", seed " << seed;
  }
}

// A line of the tree, by its end, that no other line of the file has.
struct Line {
  const char *file, *end;

  std::string place() const {
    std::ifstream in(std::string(CAIRN_SOURCE_DIR) + "/" + file);
    int number = 0, found = 0, times = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.ends_with(end)) found = number, ++times;
    }
    EXPECT_EQ(times, 1) << file << " has so many lines that end in " << end;
    return std::string(file) + ":" + std::to_string(found);
  }
};

inline std::string text_of(const emu::Place& place) { return place.file + ":" + std::to_string(place.line); }

// Whether a finding of the kind is about the two lines, whichever was caught at the other, and says `words`.
inline bool names(const Traced& seen, emu::Fault fault, const Line& one, const Line& two, std::string_view words) {
  const std::string a = one.place(), b = two.place();
  for (const emu::Finding& f : seen.findings) {
    const std::string place = text_of(f.place), other = text_of(f.other);
    const bool both = (place == a && other == b) || (place == b && other == a);
    if (f.fault == fault && both && f.what.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace cairn
