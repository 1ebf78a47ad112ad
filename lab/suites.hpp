// Suites: lists of shapes with a name, or in a user's file.
//
//   # a comment                     to the end of the line
//   4096 4096 512 nt                M N K and a layout
//   96 100 40 tn batch=64 lda=+4    a batch, leading dimensions as --lda, --ldb, --ldc and --ld take them
//   4096x4096x512 nt                the same, as --shape writes it, ranges included
//   1024                            a cube; what a line does not say is up to the flags, as --layout
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/shapes.hpp"

namespace cairn::lab {

struct BuiltInSuite {
  std::string_view name, text;
};

// The files of lab/suites/, in a file that the build writes.
std::span<const BuiltInSuite> built_in_suites();

struct SuiteLine {
  Shape shape;
  std::string layout = {};  // empty: not said, as below
  std::optional<std::int64_t> batch = {};
  std::string lda = {}, ldb = {}, ldc = {};  // "128" or "+8"
};

// The text of a built-in suite (lab/suites/NAME.txt), or of a file. Throws Error for a name that is neither, and
// names file and line of what cannot be read.
std::vector<SuiteLine> read_suite(const std::string& name_or_file);

// Reads the text of one; `where` is for messages.
std::vector<SuiteLine> parse_suite(std::string_view text, const std::string& where);

// "seeds, squares, course, thin, unseen"
std::string suite_names();

}  // namespace cairn::lab
