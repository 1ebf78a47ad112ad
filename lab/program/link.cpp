#include "lab/program/link.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/output.hpp"
#include "lab/program/dynamic_shared.hpp"
#include "lab/program/sections.hpp"

namespace cairn::lab::program {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words& operator+=(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Libraries of the toolkit that the emulator stands in for, and those for which there is nothing.
constexpr std::string_view kEmulated[] = {"cudart", "cudart_static", "cudadevrt", "cuda", "culibos", "nvToolsExt"};
constexpr std::string_view kCublas[] = {"cublas", "cublas_static"};
constexpr std::string_view kMissing[] = {"cublasLt", "curand", "cufft",     "cusparse", "cusolver",
                                         "nvrtc",    "cudnn",  "nvJitLink", "nppc"};

// "cublas" of -lcublas and of /usr/lib/libcublas.so.12; empty for what is no library.
std::string library_name(const std::string& input) {
  if (input.starts_with("-l")) return input.substr(2);
  const std::string file = fs::path(input).filename().string();
  const std::size_t end = std::min(file.find(".so"), file.rfind(".a"));
  return file.starts_with("lib") && end != std::string::npos ? file.substr(3, end - 3) : "";
}

bool is_one_of(std::string_view name, std::span<const std::string_view> all) {
  return std::ranges::find(all, name) != all.end();
}

bool is_object(const std::string& input) { return input.ends_with(".o") || input.ends_with(".obj"); }

// The archive that -lname means, among the folders of -L; the input itself if there is none.
std::string archive_of(const std::string& input, const NvccOptions& options) {
  if (!input.starts_with("-l")) return input;
  for (const std::string& flag : options.link) {
    const fs::path file = fs::path(flag.starts_with("-L") ? flag.substr(2) : "") / ("lib" + input.substr(2) + ".a");
    std::error_code ignored;
    if (flag.starts_with("-L") && fs::exists(file, ignored)) return file.string();
  }
  return input;
}

class Linker {
 public:
  explicit Linker(const Session& session) : session_(session) {}

  void link(const Words& inputs, const std::string& output) {
    Words plain, traced;
    for (const std::string& input : inputs) {
      const std::string library = library_name(input);
      if (is_one_of(library, kEmulated)) continue;
      if (is_one_of(library, kCublas)) {
        plain += session_.tools.cublas, traced += session_.tools.cublas;
        continue;
      }
      if (is_one_of(library, kMissing))
        throw Error(kUsage, fmt::format("{}: the emulator has no counterpart of this library", input));
      const std::string file = archive_of(input, session_.options);
      plain.push_back(file);
      traced.push_back(file.ends_with(".a") ? traced_archive(file) : is_object(file) ? traced_object(file) : file);
    }
    const std::string whole = session_.place / "program", twin = session_.place / "program.traced";
    make(plain, {"runtime"}, whole);
    make(traced, {"trace", "runtime"}, twin);
    if (session_.options.dry) return;
    write_file(twin, scrambled(*file_bytes(twin)), true);
    add_section(session_, whole, kTracedProgram, twin, /*exclude=*/false);
    fs::copy_file(whole, output, fs::copy_options::overwrite_existing);
    fs::permissions(output, fs::perms(0755));
  }

 private:
  // The object's traced twin as a file; the object itself if it has none, since g++ alone compiled it.
  std::string traced_object(const std::string& object) {
    const auto bytes = section(object, kTracedObject);
    if (!bytes) return object;
    std::string file = session_.place / fmt::format("{}.traced.o", ++number_);
    write_file(file, *bytes, true);
    return file;
  }

  std::string traced_archive(const std::string& archive) {
    static const std::string ar = find_program("ar");
    const fs::path folder = session_.place / fmt::format("archive{}", ++number_);
    fs::create_directories(folder);
    step(session_, {ar, "x", "--output=" + folder.string(), archive});
    Words words = {ar, "rcs", session_.place / fmt::format("{}.traced.a", number_)};
    Words members;
    for (const auto& member : fs::directory_iterator(folder)) members.push_back(member.path().string());
    std::ranges::sort(members);
    for (const std::string& member : members) words.push_back(traced_object(member));
    step(session_, words);
    return words[2];
  }

  // The emulator comes first, so that functions that both define, such as those of std::string, are taken from it.
  // Those of the user's objects are traced, and a tracer that calls them for a report would trace itself, endlessly.
  void make(const Words& inputs, const std::vector<const char*>& first, const std::string& output) {
    const Tools& tools = session_.tools;
    Words words = {tools.compiler, "-Wl,--whole-archive"};
    for (const char* library : first) words.push_back(tools.library(library));
    words.emplace_back("-Wl,--no-whole-archive");
    words += inputs;
    Words asked = {tools.readelf, "-sW"};
    std::ranges::copy_if(inputs, std::back_inserter(asked),
                         [](const std::string& input) { return is_object(input) || input.ends_with(".a"); });
    if (const std::string text = dynamic_shared(step(session_, asked, /*kept=*/true)); !text.empty()) {
      const std::string file = fmt::format("{}.dynamic.cpp", output);
      write_file(file, text, true);
      words.push_back(file);
    }
    words += session_.options.link;
    words.emplace_back("-Wl,--start-group");
    words.push_back(tools.library("program"));
    for (const char* library : first) words.push_back(tools.library(library));
    for (const std::string& library : tools.libraries)
      if (library.find("libcairn_emu_") == std::string::npos) words.push_back(library);
    words += {"-Wl,--end-group", "-pthread", "-ldl", "-o", output};
    step(session_, words);
  }

  const Session& session_;
  int number_ = 0;
};

}  // namespace

void link(const Session& session, const std::vector<std::string>& inputs, const std::string& output) {
  Linker(session).link(inputs, output);
}

}  // namespace cairn::lab::program
