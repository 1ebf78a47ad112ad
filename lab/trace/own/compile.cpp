#include "lab/trace/own/compile.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/output.hpp"
#include "lab/profile/process.hpp"
#include "lab/program/dynamic_shared.hpp"

namespace cairn::lab::trace {
namespace {

namespace fs = std::filesystem;
constexpr const char* kAsked = "--kernel";  // what the driver's own line is called in the compiler's complaints

using Words = std::vector<std::string>;

Words& operator+=(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return (std::stringstream() << in.rdbuf()).str();
}

// nvcc includes <cuda_runtime.h> by itself. The program has a main of its own.
std::string driver(const OwnSource& source) {
  return fmt::format(
      "#include <cuda_runtime.h>\n#include \"emu/program/bind.hpp\"\n#define main cairn_main_of_the_user\n"
      "#include \"{}\"\n#undef main\n#line 1 \"{}\"\n"
      "cairn::emu::program::Kernel cairn_own_kernel() {{ return cairn::emu::program::Bound<&{}>::bind(\"{}\"); }}\n",
      fs::absolute(source.file).lexically_normal().string(), kAsked, source.kernel, source.kernel);
}

// The traced build's flags, and a name of our own for the folder of the user's file: the tracer knows some real ones,
// and shortens or passes over what lies there.
Words common(const OwnSource& source, const program::Tools& tools) {
  Words words = {tools.compiler, "-std=c++20", "-fvisibility=hidden", "-w"};
  words += tools.traced;
  words.emplace_back("-gdwarf-4");  // by DWARF 5, addr2line takes the first file that is included for the driver
  const std::string folder = fs::absolute(source.file).lexically_normal().parent_path().string();
  words.push_back(fmt::format("-ffile-prefix-map={}/={}", folder, kUsersFolder));
  return words;
}

[[noreturn]] void complain(const OwnSource& source, const std::string& output, const Words& kernels) {
  const std::string error = first_error(output, source.file);
  if (error.starts_with(std::string(kAsked) + ":")) {
    const std::string has = kernels.empty() ? "it has no __global__ function"
                                            : fmt::format("its kernels are {}", fmt::join(kernels, ", "));
    throw Error(kUsage, fmt::format("--kernel '{}' is not one kernel of {}; {}; the compiler says: {}", source.kernel,
                                    source.file, has, error.substr(error.find(' ') + 1)));
  }
  throw Error(kUsage, error.empty() ? fmt::format("{}: g++ failed: {}", source.file, output.substr(0, 200)) : error);
}

// A compiler that is killed leaves temporary files of its own, so these too go where everything is removed.
std::string run(const Words& words, const OwnSource& source, const Words& kernels, const program::Workplace& place,
                const std::function<bool()>& tick) {
  const profile::Ran ran = profile::run_program(words, tick, {"TMPDIR=" + (place / "")});
  if (tick && !tick()) throw Error(kInterrupted, "interrupted");
  if (ran.code != 0) complain(source, ran.output, kernels);
  return ran.output;
}

void refuse(const OwnSource& source, const std::vector<Spot>& refused) {
  if (refused.empty()) return;
  const Spot& first = refused.front();
  const std::string more = refused.size() == 1 ? "" : fmt::format(" (and {} more)", refused.size() - 1);
  throw Error(kUsage, fmt::format("{}:{}: {} is not emulated{}; see docs/own_kernels.md for what is",
                                  named_by_user(first.file, source.file), first.line, first.what, more));
}

void check(const OwnSource& source) {
  // Looked at before it is opened: to open a pipe would wait for a writer.
  std::error_code ignored;
  const fs::file_status status = fs::status(source.file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(kUsage, fmt::format("cannot read {}: it is not a regular file", source.file));
  }
  if (!std::ifstream(source.file)) throw Error(kUsage, fmt::format("cannot read {}", source.file));
  if (source.file.find_first_of("\"\\\n=") != std::string::npos) {
    throw Error(kUsage, fmt::format("{}: the compiler cannot take a path with any of \" \\ = in it", source.file));
  }
  static const std::regex name(R"([A-Za-z_0-9:<>,()*&+\-. ']+)");
  if (!std::regex_match(source.kernel, name)) {
    throw Error(kUsage,
                fmt::format("--kernel '{}': write a name, as tile, mine::tile or 'tile<float, 32>'", source.kernel));
  }
}

}  // namespace

OwnProgram build_program(const OwnSource& source, const program::Tools& tools, const program::Workplace& place,
                         const std::function<bool()>& tick) {
  check(source);
  const std::string written = place / "driver.cu", plain = place / "kernel.ii", object = place / "kernel.o";
  write_file(written, driver(source), true);

  Words words = common(source, tools);
  for (const std::string& folder : tools.includes) words.push_back("-I" + folder);
  words += source.flags;
  words += {"-DCAIRN_EMULATED", "-E", "-fdirectives-only", "-x", "c++", written, "-o", plain};
  run(words, source, {}, place, tick);

  Words ours = {written, kAsked};
  for (const std::string& folder : tools.includes) {
    for (const char* room : {"/emu/", "/device/", "/cairn/"}) ours.push_back(folder + room);
  }
  OwnProgram program{place / "kernel", scan(read_file(plain), ours)};
  refuse(source, program.scanned.refused);
  write_file(plain, program.scanned.text, true);
  program.scanned.text.clear();

  words = common(source, tools);
  words += source.flags;
  words += {"-fpreprocessed", "-fdirectives-only", "-x", "c++", "-c", plain, "-o", object};
  run(words, source, program.scanned.kernels, place, tick);

  // The emulator comes first, so that functions that both define, such as those of std::string, are taken from it. Those
  // of the kernel's file are traced, and a tracer that calls them for a report would trace itself, endlessly.
  words = {tools.compiler, "-Wl,--whole-archive"};
  for (const char* library : {"trace", "runtime"}) words.push_back(tools.library(library));
  words += {"-Wl,--no-whole-archive", object};
  if (const std::string text = program::dynamic_shared(run({tools.readelf, "-sW", object}, source, {}, place, tick));
      !text.empty()) {
    const std::string dynamic = place / "dynamic.cpp";
    write_file(dynamic, text, true);
    words.push_back(dynamic);
  }
  words.emplace_back("-Wl,--start-group");
  words += tools.libraries;
  words += {"-Wl,--end-group", "-pthread", "-ldl", "-o", program.path};
  run(words, source, {}, place, tick);
  return program;
}

}  // namespace cairn::lab::trace
