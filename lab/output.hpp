// Where results go: stdout, or a file that is written completely or not at all, and replaces another only with --force.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/table.hpp"

namespace cairn::lab {

struct OutputOptions {
  std::string format;          // empty: by the file's extension, else a table
  std::string out;             // empty or "-": stdout
  bool force = false;          // an existing file may be replaced
  std::string flag = "--out";  // the option that named the file, for messages
  bool wide = false;           // nothing is left out or wrapped for a terminal

  bool to_stdout() const { return out.empty() || out == "-"; }
};

// Another file beside that of --out: what a flag such as --record named. The command writes no such file if `path` is
// empty.
inline OutputOptions beside(const OutputOptions& out, std::string flag, const std::string& path,
                            std::string format = "table") {
  return {std::move(format), path, out.force, std::move(flag)};
}

// Throws if two of them would write to the same file, or to standard output: the first is --out, which is standard
// output if it is empty; the others are left out if they are.
void expect_distinct(const std::vector<OutputOptions>& all);

class Output {
 public:
  // Refuses an existing file, a missing folder and an extension of no format it writes at once, before the work whose
  // result the file would hold.
  explicit Output(OutputOptions options);

  Format format() const { return format_; }
  bool to_stdout() const { return options_.to_stdout(); }
  // What tables are rendered for: the width is 0 unless a table goes to a terminal, without --wide.
  Terminal terminal() const;
  void write(const Report& report) const;
  void write(std::string_view text) const;
  void write_lines(std::string_view text) const;  // for people: wrapped if they are wider than the terminal

 private:
  OutputOptions options_;
  Format format_ = Format::table;
};

// Writes a temporary file next to `path` and renames it, so that a full disk or a crash leaves no incomplete file.
// `flag` is the option that named it.
void write_file(const std::string& path, std::string_view text, bool force, const std::string& flag = "--out");

}  // namespace cairn::lab
