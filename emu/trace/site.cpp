#include "emu/trace/site.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <string>

#include "emu/machine/elf_symbols.hpp"

namespace cairn::emu {
namespace {

// The file this code was loaded from.
std::string image_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&site_of), &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Between the frames of an inlined call, the one that is written in a kernel: the innermost that is not a helper of
// the ladder's, a header of the emulator's or of the compiler's.
bool is_ours(const std::string& file) {
  return file.starts_with("device/") || file.find("emu/shadow/") != std::string::npos || file.starts_with("/usr/") ||
         file.find("/lib/gcc/") != std::string::npos;
}

struct Frame {
  std::string function, file;
  int line = 0;
};

Place choose(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    if (frame.line > 0 && !is_ours(frame.file)) return {frame.file, frame.line, frame.function};
  }
  return {};
}

// "path/file.cu:12 (discriminator 3)"
void read_location(const std::string& text, Frame& frame) {
  const std::string where = text.substr(0, text.find(" ("));
  const auto colon = where.rfind(':');
  frame.file = shown(where.substr(0, colon));
  frame.line = colon == std::string::npos ? 0 : std::atoi(where.c_str() + colon + 1);
}

}  // namespace

std::string shown(std::string path) {
  for (const std::string prefix : {CAIRN_SOURCE_ROOT "/", "./"}) {
    if (path.starts_with(prefix)) path.erase(0, prefix.size());
  }
  return path;
}

SiteId site_of(const void* return_address) {
  // One byte back: the call itself, not what follows it, which may be another line.
  return static_cast<SiteId>(reinterpret_cast<std::uint64_t>(return_address) - this_image().loaded_at - 1);
}

std::vector<Place> places_of(const std::vector<SiteId>& sites) {
  std::vector<Place> places(sites.size());
  const std::string image = image_path();
  if (image.empty()) return places;
  constexpr std::size_t kAtOnce = 500;  // so that the command line stays short
  for (std::size_t begin = 0; begin < sites.size(); begin += kAtOnce) {
    std::string command = "addr2line -a -C -f -i -e " + quoted(image);
    const std::size_t end = std::min(sites.size(), begin + kAtOnce);
    for (std::size_t i = begin; i < end; ++i) {
      char address[16];
      std::snprintf(address, sizeof address, " 0x%x", sites[i]);
      command += address;
    }
    command += " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
    if (!pipe) return places;
    // An address, then a function and a location for each frame, innermost first.
    std::vector<Frame> frames;
    std::size_t at = begin;
    bool any = false, is_function = true;
    char line[4096];
    while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
      std::string text(line);
      while (!text.empty() && text.back() == '\n') text.pop_back();
      if (text.starts_with("0x")) {
        if (any) places[at++] = choose(frames);
        any = true, is_function = true;
        frames.clear();
      } else if (is_function) {
        frames.push_back({text, "", 0});
        is_function = false;
      } else {
        if (!frames.empty()) read_location(text, frames.back());
        is_function = true;
      }
    }
    if (any && at < end) places[at] = choose(frames);
  }
  return places;
}

}  // namespace cairn::emu
