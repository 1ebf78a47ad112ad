#include "lab/program/compile.hpp"

#include <algorithm>
#include <fstream>
#include <future>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/output.hpp"
#include "lab/profile/process.hpp"
#include "lab/program/not_emulated.hpp"
#include "lab/program/rewrite.hpp"
#include "lab/program/sections.hpp"
#include "lab/signals.hpp"

namespace cairn::lab::program {
namespace {

using Words = std::vector<std::string>;

Words& operator+=(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// By DWARF 5, addr2line takes the first file that is included for the source. The next two put a word above the local
// arrays of a function, whose value emu/trace/local_arrays.cpp gives. The last sets every byte of a local variable that the
// source does not set to 0xfe, so that a read of it shows; the plain twin does without, since it slows register tiles down.
const Words kTracedFlags = {"-gdwarf-4", "-fstack-protector-strong", "-mstack-protector-guard=global",
                            "-ftrivial-auto-var-init=pattern"};

// The shadow headers are C++20, so that is the least.
std::string standard(const NvccOptions& options) {
  return options.standard == "23" ? "-std=gnu++23" : "-std=gnu++20";
}

bool is_c(const NvccOptions& options, const std::string& source) {
  return options.language == "c" || (options.language.empty() && source.ends_with(".c"));
}

bool is_cuda(const NvccOptions& options, const std::string& source) {
  return options.language == "cu" || (options.language.empty() && is_cuda_source(source));
}

// The emulator is of sm_90, or older if the command line says so.
int architecture(const NvccOptions& options) {
  constexpr int kNewest = 900;
  return options.architecture == 0 ? kNewest : std::min(options.architecture, kNewest);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

profile::Ran run_step(const Session& session, const Words& words) {
  if (session.options.verbose || session.options.dry) fmt::print(stderr, "#$ {}\n", fmt::join(words, " "));
  if (session.options.dry) return {0, ""};
  profile::Ran ran = profile::run_program(words, [] { return !interrupted(); }, {"TMPDIR=" + (session.place / "")});
  if (interrupted()) throw Error(kInterrupted, "interrupted");
  return ran;
}

// Tells what it wrote, and ends the work if it failed.
void finish(const profile::Ran& ran, bool kept = false) {
  if (!kept || ran.code != 0) fmt::print(stderr, "{}", ran.output);
  if (ran.code == 0) return;
  for (const std::string& sentence : parts_not_emulated(ran.output)) fmt::print(stderr, "cairn-nvcc: {}\n", sentence);
  throw StepFailed{ran.code};
}

profile::Ran compile_rewritten(const Session& session, const std::string& text, const Words& flags,
                               const std::string& object) {
  Words words = {session.tools.compiler, standard(session.options), "-w", "-Wno-psabi"};
  words += flags;
  words += session.options.compile;
  words += {"-fpreprocessed", "-x", "c++", "-c", text, "-o", object};
  return run_step(session, words);
}

}  // namespace

std::string step(const Session& session, const Words& words, bool kept) {
  const profile::Ran ran = run_step(session, words);
  finish(ran, kept);
  return ran.output;
}

void preprocess(const Session& session, const std::string& source, const std::string& to, const std::string& object) {
  const NvccOptions& options = session.options;
  Words words = {session.tools.compiler, standard(options), "-w", "-E"};
  for (const std::string& folder : session.tools.includes) words += {"-I", folder};
  words += {"-DCAIRN_EMULATED",          "-DCAIRN_PROGRAM",          "-D__NVCC__",
            "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=8", "-D__CUDACC_VER_BUILD__=93"};
  if (is_cuda(options, source)) words += {"-include", "emu/shadow/emu_heap.h"};
  if (options.standard != "20" && options.standard != "23") words += {"-include", "emu/shadow/emu_cpp17.h"};
  // Host and device code are compiled together, so that `#ifdef __CUDA_ARCH__` takes the device's side in both.
  if (is_cuda(options, source))
    words += {"-D__CUDACC__", fmt::format("-D__CUDA_ARCH__={}", architecture(options)),
              "-include",     "cuda_runtime.h",
              "-include",     "emu/program/launch.hpp",
              "-include",     "emu/shadow/emu_ptx.h"};
  words += options.preprocess;
  words += options.dependencies;
  if (!options.dependencies.empty() && !object.empty()) words += {"-MT", object};
  words += {"-x", "c++", source};
  if (to != "-") {
    words += {"-o", to};
    step(session, words);
  } else {
    fmt::print("{}", step(session, words, /*kept=*/true));
  }
}

void compile(const Session& session, const std::string& source, const std::string& object) {
  if (!std::ifstream(source)) throw Error(kUsage, fmt::format("cannot read {}", source));
  if (is_c(session.options, source)) {
    Words words = {session.tools.compiler, "-x", "c", "-O2"};
    words += session.options.preprocess;
    words += session.options.compile;
    words += session.options.dependencies;
    words += {"-c", source, "-o", object};
    step(session, words);
    return;
  }
  const std::string name = base_name(source), text = session.place / (name + ".ii"),
                    plain = session.place / (name + ".plain.o"), traced = session.place / (name + ".traced.o");
  preprocess(session, source, text, object);
  if (!session.options.dry) {
    Words ours = {"emu/"};
    for (const std::string& folder : session.tools.includes) {
      for (const char* room : {"/emu/", "/device/", "/cairn/", "/"}) {
        if (std::string_view(room) != "/" || folder.find("/shadow") != std::string::npos)
          ours.push_back(folder + room);
      }
    }
    write_file(text, rewrite(*file_bytes(text), ours).text, true);
  }
  Words traced_flags = session.tools.traced;
  traced_flags += kTracedFlags;
  auto other = std::async(std::launch::async, [&] { return compile_rewritten(session, text, traced_flags, traced); });
  const profile::Ran mine = compile_rewritten(session, text, session.tools.plain, plain);
  const profile::Ran others = other.get();
  finish(mine);
  finish(others, mine.output == others.output);  // what both complain of is told once
  add_section(session, plain, kTracedObject, traced, /*exclude=*/true);
  if (session.options.dry) return;
  write_file(object, *file_bytes(plain), true, "-o");
}

void add_section(const Session& session, const std::string& file, const char* name, const std::string& section,
                 bool exclude) {
  static const std::string objcopy = find_program("objcopy");
  step(session, {objcopy, "--add-section", fmt::format("{}={}", name, section), "--set-section-flags",
                 fmt::format("{}=readonly,noload{}", name, exclude ? ",exclude" : ""), file});
}

}  // namespace cairn::lab::program
