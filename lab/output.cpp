#include "lab/output.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/leftovers.hpp"
#include "lab/progress.hpp"
#include "lab/terminal.hpp"
#include "lab/wrap.hpp"

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw Error(kFailed, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

[[noreturn]] void already_there(const std::string& path) {
  throw Error(kUsage, fmt::format("{} exists and is not overwritten; choose another name or add --force", path));
}

// Devices and pipes hold nothing that could be lost, and must not be replaced by a regular file.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_target(const std::string& path, bool force, const std::string& flag) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw Error(kUsage, fmt::format("{} is a directory; {} wants a file", path, flag));
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, ignored)) {
    throw Error(kUsage, fmt::format("there is no directory {} for {} {}", parent.string(), flag, path));
  }
  if (!force && !is_special(path) && fs::exists(fs::symlink_status(path, ignored))) already_there(path);
}

void write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Closes, and unless commit() was reached removes, the file it opened.
class Temporary {
 public:
  explicit Temporary(const std::string& target) : path_([&] { return open(target); }) {}
  ~Temporary() {
    if (file_ >= 0) ::close(file_);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void commit(std::string_view text, const std::string& target, bool force, const std::string& flag) {
    write_all(file_, text, target);
    // Some file systems report a full disk only here.
    if (::fsync(file_) != 0 && errno != EINVAL) cannot_write(target, errno);
    if (::close(std::exchange(file_, -1)) != 0) cannot_write(target, errno);
    if (!force) {
      // A link, unlike a rename, fails if the name was taken since it was last looked at.
      if (::link(path_.path().c_str(), target.c_str()) == 0) return;
      if (errno == EEXIST) already_there(target);
      // No hard links here: look once more, then rename.
      check_target(target, force, flag);
    }
    if (::rename(path_.path().c_str(), target.c_str()) != 0) cannot_write(target, errno);
  }

 private:
  fs::path open(const std::string& target) {
    const std::string path = fmt::format("{}.{}.tmp", target, ::getpid());
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) cannot_write(target, errno);
    return path;
  }

  int file_ = -1;
  TemporaryPath path_;  // after file_, which opening it sets
};

// Its own carriage returns stay.
std::string visible_csv(std::string_view text) {
  std::string out;
  for (std::size_t end = 0; (end = text.find("\r\n")) != std::string_view::npos; text.remove_prefix(end + 2))
    out += visible(text.substr(0, end)) + "\r\n";
  return out + visible(text);
}

// What a file's extension asks for. A picture or a workbook that held a table of text would not open.
std::string format_of(const OutputOptions& options) {
  std::string extension = fs::path(options.out).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension.empty() || extension == ".txt") return "table";
  for (const char* known : {".csv", ".json", ".md"}) {
    if (extension == known) return extension.substr(1);
  }
  throw Error(kUsage,
              fmt::format("{} {}: no format is called '{}'; end it in .txt, .csv, .json, .md, or add --format",
                          options.flag, options.out, extension));
}

Format parse_format(const OutputOptions& options) {
  const std::string word = options.format.empty() ? format_of(options) : options.format;
  if (word == "table") return Format::table;
  if (word == "csv") return Format::csv;
  if (word == "json") return Format::json;
  if (word == "md") return Format::md;
  throw Error(kUsage, fmt::format("--format '{}' is not one of table, csv, json, md", word));
}

// The same file by whatever path; a device such as /dev/null takes any number of texts.
bool same_target(const OutputOptions& a, const OutputOptions& b) {
  if (a.to_stdout() || b.to_stdout()) return a.to_stdout() && b.to_stdout();
  if (is_special(a.out)) return false;
  std::error_code error;
  if (fs::equivalent(a.out, b.out, error) && !error) return true;
  const auto whole = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
  return whole(a.out) == whole(b.out);
}

}  // namespace

Output::Output(OutputOptions options) : options_(std::move(options)), format_(parse_format(options_)) {
  if (!to_stdout()) check_target(options_.out, options_.force, options_.flag);
}

void Output::write(const Report& report) const {
  wipe_progress();
  if (format_ == Format::csv || format_ == Format::json) {
    for (const std::string& line : report.alarms) fmt::print(stderr, "{}\n", visible(line));
  }
  const std::string text = render(report, format_, terminal());
  // A program gets the fields of CSV as they are, a terminal none that it would obey.
  const bool shown = format_ == Format::csv && to_stdout() && ::isatty(STDOUT_FILENO) != 0;
  write(shown ? visible_csv(text) : text);
}

Terminal Output::terminal() const {
  if (!to_stdout()) return {};
  const bool fits = format_ == Format::table && !options_.wide;
  return {use_colour(STDOUT_FILENO), fits ? terminal_columns(STDOUT_FILENO) : 0};
}

void Output::write_lines(std::string_view text) const { write(fitted(text, terminal().columns)); }

void Output::write(std::string_view text) const {
  if (!to_stdout()) return write_file(options_.out, text, options_.force, options_.flag);
  wipe_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) cannot_write("standard output", errno);
}

void expect_distinct(const std::vector<OutputOptions>& all) {
  std::vector<const OutputOptions*> seen;
  for (const OutputOptions& one : all) {
    if (one.out.empty() && one.flag != "--out") continue;
    for (const OutputOptions* other : seen) {
      if (same_target(one, *other))
        throw Error(kUsage, fmt::format("{} and {} would both write to {}; choose another name for one of them",
                                        other->flag, one.flag, one.to_stdout() ? "standard output" : one.out));
    }
    seen.push_back(&one);
  }
}

void write_file(const std::string& path, std::string_view text, bool force, const std::string& flag) {
  check_target(path, force, flag);
  if (!is_special(path)) return Temporary(path).commit(text, path, force, flag);
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) cannot_write(path, errno);
  try {
    write_all(file, text, path);
  } catch (...) {
    ::close(file);
    throw;
  }
  if (::close(file) != 0) cannot_write(path, errno);
}

}  // namespace cairn::lab
