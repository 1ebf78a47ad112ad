#include "lab/program/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/program/compile.hpp"
#include "lab/program/link.hpp"
#include "lab/program/nvcc_options.hpp"
#include "lab/signals.hpp"

namespace cairn::lab::program {
namespace {

// "src/kernel.cu" -> "kernel.o"
std::string object_of(const std::string& source) {
  const std::string name = source.substr(source.rfind('/') + 1);
  return name.substr(0, name.rfind('.')) + ".o";
}

bool to_compile(const NvccOptions& options, const std::string& input) {
  return is_source(input) ||
         (!options.language.empty() && !input.ends_with(".o") && !input.ends_with(".a") && !input.starts_with("-l"));
}

void each_source(const NvccOptions& options, const std::vector<std::string>& sources) {
  if (sources.empty()) throw Error(kUsage, "no source to compile; write cairn-nvcc -c FILE.cu");
  if (!options.output.empty() && sources.size() > 1)
    throw Error(kUsage, fmt::format("-o {}: one object for {} sources", options.output, sources.size()));
}

// As configure scripts and CMake read it: the release whose interface the emulator's headers follow.
constexpr const char* kVersion =
    "cairn-nvcc: CUDA programs on Cairn's emulator, without a GPU. Stands in for\n"
    "nvcc: NVIDIA (R) Cuda compiler driver\n"
    "Cuda compilation tools, release 12.8, V12.8.93\n";

// What CMake reads of -v: where a toolkit is (in cairn-nvcc's own folder), and by which program to link (by this one).
struct Shown {
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::path folder = self.parent_path();

  void environment() const {
    const char* path = std::getenv("PATH");
    fmt::print(stderr, "#$ TOP={0}\n#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n#$ PATH={1}\n#$ LIBRARIES=\"-L{0}\"\n",
               folder.string(), path == nullptr ? "" : path);
  }
  void link(const std::vector<std::string>& inputs, const std::string& output) const {
    fmt::print(stderr, "#$ {} {} \"-L{}\" -o \"{}\"\n", self.string(), fmt::join(inputs, " "), folder.string(),
               output);
  }
};

void work(const NvccOptions& options) {
  if (options.verbose || options.dry) Shown().environment();
  if (options.inputs.empty()) throw Error(kUsage, "no input; write cairn-nvcc FILE.cu -o PROGRAM");
  const Tools tools = find_tools();
  const Workplace place;
  const Session session{options, tools, place};
  std::vector<std::string> sources;
  std::ranges::copy_if(options.inputs, std::back_inserter(sources),
                       [&](const std::string& input) { return to_compile(options, input); });
  if (options.stage != Stage::link && options.stage != Stage::device_link) each_source(options, sources);
  switch (options.stage) {
    case Stage::preprocess:
    case Stage::dependencies:
      for (const std::string& source : sources)
        preprocess(session, source, options.output.empty() ? "-" : options.output, "");
      return;
    case Stage::compile:
      for (const std::string& source : sources)
        compile(session, source, options.output.empty() ? object_of(source) : options.output);
      return;
    case Stage::link: {
      std::vector<std::string> linked;
      for (const std::string& input : options.inputs) {
        linked.push_back(input);
        if (!to_compile(options, input)) continue;
        linked.back() = place / fmt::format("{}_{}", linked.size(), object_of(input));
        compile(session, input, linked.back());
      }
      const std::string output = options.output.empty() ? "a.out" : options.output;
      if (options.verbose || options.dry) Shown().link(linked, output);
      link(session, linked, output);
      return;
    }
    case Stage::device_link:  // there is no device code to link: an object with nothing in it
      step(session, {tools.compiler, "-x", "c", "-c", "/dev/null", "-o",
                     options.output.empty() ? "a_dlink.o" : options.output});
      return;
    case Stage::version: return;
  }
}

}  // namespace

int run_nvcc(const std::vector<std::string>& arguments) {
  try {
    const NvccOptions options = parse_nvcc(arguments);
    if (options.stage == Stage::version) {
      fmt::print("{}", kVersion);
      return kGood;
    }
    catch_interrupt();
    work(options);
    return kGood;
  } catch (const Error& error) {
    fmt::print(stderr, "cairn-nvcc: {}\n", error.what());
    return error.code();
  } catch (const StepFailed& failed) {
    return failed.code > 128 ? failed.code : 1;
  }
}

}  // namespace cairn::lab::program
