// Where results go: stdout, or a file that is written completely or not at all, and replaces another only with --force.
#pragma once

#include <string>
#include <string_view>

#include "lab/table.hpp"

namespace cairn::lab {

struct OutputOptions {
  std::string format;  // empty: by the file's extension, else a table
  std::string out;     // empty: stdout
  bool force = false;  // an existing file may be replaced
};

class Output {
 public:
  // Refuses an existing file at once, before the work whose result it would hold.
  explicit Output(OutputOptions options);

  Format format() const { return format_; }
  void write(const Report& report) const;
  void write(std::string_view text) const;

 private:
  OutputOptions options_;
  Format format_ = Format::table;
};

// Writes a temporary file next to `path` and renames it, so that a full disk or a crash leaves no incomplete file.
void write_file(const std::string& path, std::string_view text, bool force);

// True for a terminal if NO_COLOR is not set.
bool use_colour(int file_descriptor);

}  // namespace cairn::lab
