// The two files by which `cairn trace FILE` and the program that it builds around a user's kernel exchange plain
// data. The program is a process of its own, so that a kernel that crashes does not end the command.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "emu/trace.hpp"

namespace cairn::emu::program {

// The types of numbers and of buffers' elements. `any` is a number whose type the parameter decides.
enum class Element : std::uint8_t { any, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };
inline constexpr int kElements = 13;
const char* name(Element element);  // "i8" …
std::size_t size_of(Element element);
bool is_real(Element element);

enum class Kind : std::uint8_t { number, buffer, null };
enum class Filling : std::uint8_t { unset, zero, iota, random, number };

// One --arg.
struct Argument {
  std::string text;  // as it was given
  Kind kind = Kind::number;
  Element element = Element::any;
  std::string digits;  // of a number, or of the number that fills a buffer
  std::uint64_t count = 0;
  Filling filling = Filling::unset;
};

struct ProgramInput {
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::uint64_t shared = 0, seed = 1;
  bool detectors = true;
  std::vector<Argument> arguments;
};

// A buffer after the kernel.
struct Buffer {
  std::uint64_t argument = 0;  // counted from 1
  Element element = Element::any;
  std::uint64_t count = 0;
  std::vector<double> first;             // its first values
  std::vector<std::uint8_t> written;     // whether those were ever written
  std::uint64_t unwritten = 0, gap = 0;  // elements that were never written, and the first of them
};

// An allocation of device memory. They are numbered from 1, in the order in which the program makes them.
struct Memory {
  std::uint64_t number = 0, bytes = 0;
};

// What a launch left there, where it changed something.
struct Change {
  Memory memory;
  std::uint64_t changed = 0, sum = 0;  // bytes; the checksum of all of the allocation
};
struct Launched {
  std::string kernel;
  std::array<unsigned, 3> grid = {}, block = {};
  std::vector<Change> changes;
};

// What two launches wrote, element by element.
struct Difference {
  Memory first, second;
  std::uint64_t elements = 0;                // that either wrote
  std::uint64_t differing = 0;               // in their bits
  std::uint64_t left = 0, gap = 0;           // that the first wrote and the second did not; one of them
  double largest = 0;                        // magnitude of what the first wrote
  double error = 0;                          // the largest difference; infinite where only one is a NaN
  std::uint64_t at = 0;                      // where that is
  double first_value = 0, second_value = 0;  // and what is there
};

// A launch of the second kernel, and the last one of the first before it.
struct Pair {
  std::uint64_t first = 0, second = 0;  // numbers of launches of the program, from 1
  bool again = false;                   // the second was run once more, on what the first had found in memory
  std::string failure;                  // why they cannot be compared
  std::vector<Difference> buffers;
  std::vector<Memory> only_first,
      only_second;  // written by one of them, and nothing that the other wrote is its like
};

struct Comparison {
  std::vector<std::string> first, second;  // the kernels that were launched and have these names
  Element type = Element::f32;
  bool type_known = false;  // asked for, or that of all pointers by which the kernels may write
  std::vector<Pair> pairs;
  std::uint64_t early = 0;  // launches of the second before any of the first
};

struct ProgramOutput {
  std::string usage;    // the arguments do not fit the kernel; nothing was run
  std::string failure;  // the launch failed
  Trace trace;
  std::vector<Buffer> buffers;
  std::vector<Launched> launches;  // of a whole program
  Comparison comparison;
};

// Whether `digits` is a number of this type; a value of it is then stored at `out` unless that is null.
bool store_number(Element element, const std::string& digits, void* out);

void write(std::ostream& out, const ProgramInput& input);
void write(std::ostream& out, const ProgramOutput& output);
// False where the file ends before the data do.
bool read(std::istream& in, ProgramInput& input);
bool read(std::istream& in, ProgramOutput& output);

}  // namespace cairn::emu::program
