#include "lab/program/nvcc_options.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab::program {
namespace {

// What an option does. `value`: it takes one, as the next word, after = or, with `joined`, directly behind it.
enum class Does {
  nothing,
  architecture,
  preprocess,  // handed on, with its value
  compile,
  link,
  output,
  language,
  standard,
  to_compiler,  // -Xcompiler a,b
  to_linker,
  library,
  dependencies,
  file,  // more options are in a file
  stage_compile,
  stage_device_link,
  stage_preprocess,
  stage_dependencies,
  verbose,
  dry,
  version,
  shared,
  refused
};

struct Option {
  std::string_view name, long_name;
  Does does;
  bool value = false, joined = false;
  std::string_view as = {};  // what it is handed on as; its name if empty
};

constexpr Option kOptions[] = {
    {"-o", "--output-file", Does::output, true},
    {"-c", "--compile", Does::stage_compile},
    {"-dc", "--device-c", Does::stage_compile},
    {"-dw", "--device-w", Does::stage_compile},
    {"-dlink", "--device-link", Does::stage_device_link},
    {"-E", "--preprocess", Does::stage_preprocess},
    {"-M", "--generate-dependencies", Does::stage_dependencies},
    {"-MM", "--generate-nonsystem-dependencies", Does::stage_dependencies},
    {"-MD", "--generate-dependencies-with-compile", Does::dependencies},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", Does::dependencies},
    {"-MP", "--generate-dependency-targets", Does::dependencies},
    {"-MF", "--dependency-output", Does::dependencies, true},
    {"-MT", "--dependency-target-name", Does::dependencies, true},
    {"-x", "--x", Does::language, true},
    {"-std", "--std", Does::standard, true},
    {"-I", "--include-path", Does::preprocess, true, true},
    {"-isystem", "--system-include", Does::preprocess, true},
    {"-include", "--pre-include", Does::preprocess, true},
    {"-D", "--define-macro", Does::preprocess, true, true},
    {"-U", "--undefine-macro", Does::preprocess, true, true},
    {"-L", "--library-path", Does::link, true, true},
    {"-l", "--library", Does::library, true, true},
    {"-Xcompiler", "--compiler-options", Does::to_compiler, true},
    {"-Xlinker", "--linker-options", Does::to_linker, true},
    {"-g", "--debug", Does::compile},
    {"-pg", "--profile", Does::nothing},
    {"-optf", "--options-file", Does::file, true},
    {"-v", "--verbose", Does::verbose},
    {"-dryrun", "--dryrun", Does::dry},
    {"-V", "--version", Does::version},
    {"-O", "--optimize", Does::nothing, true, true},  // the emulator has its own levels
    {"-arch", "--gpu-architecture", Does::architecture, true},
    {"-gencode", "--generate-code", Does::architecture, true},
    // For a GPU's code, or for tools that make it.
    {"-G", "--device-debug", Does::nothing},
    {"-lineinfo", "--generate-line-info", Does::nothing},
    {"-code", "--gpu-code", Does::nothing, true},
    {"-rdc", "--relocatable-device-code", Does::nothing, true},
    {"-maxrregcount", "--maxrregcount", Does::nothing, true},
    {"-use_fast_math", "--use_fast_math", Does::nothing},
    {"-ftz", "--ftz", Does::nothing, true},
    {"-prec-div", "--prec-div", Does::nothing, true},
    {"-prec-sqrt", "--prec-sqrt", Does::nothing, true},
    {"-fmad", "--fmad", Does::nothing, true},
    {"-extra-device-vectorization", "--extra-device-vectorization", Does::nothing},
    {"-dlto", "--dlink-time-opt", Does::nothing},
    {"-dopt", "--dopt", Does::nothing, true},
    {"-Xptxas", "--ptxas-options", Does::nothing, true},
    {"-Xnvlink", "--nvlink-options", Does::nothing, true},
    {"-Xcudafe", "--Xcudafe", Does::nothing, true},
    {"-Xfatbin", "--Xfatbin", Does::nothing, true},
    {"-Xarchive", "--archive-options", Does::nothing, true},
    {"-res-usage", "--resource-usage", Does::nothing},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", Does::nothing},
    {"-expt-extended-lambda", "--expt-extended-lambda", Does::nothing},
    {"-extended-lambda", "--extended-lambda", Does::nothing},
    {"-default-stream", "--default-stream", Does::nothing, true},
    {"-cudart", "--cudart", Does::nothing, true},
    {"-cudadevrt", "--cudadevrt", Does::nothing, true},
    {"-ccbin", "--compiler-bindir", Does::nothing, true},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", Does::nothing},
    {"-target-dir", "--target-directory", Does::nothing, true},
    {"-m", "--machine", Does::nothing, true, true},
    {"-t", "--threads", Does::nothing, true},
    {"-split-compile", "--split-compile", Does::nothing, true},
    {"-keep", "--keep", Does::nothing},
    {"-keep-dir", "--keep-dir", Does::nothing, true},
    {"-save-temps", "--save-temps", Does::nothing},
    {"-objtemp", "--objdir-as-tempdir", Does::nothing},
    {"-clean", "--clean-targets", Does::nothing},
    {"-w", "--disable-warnings", Does::nothing},
    {"-Werror", "--Werror", Does::nothing, true},
    {"-Wreorder", "--Wreorder", Does::nothing},
    {"-Wno-deprecated-declarations", "--Wno-deprecated-declarations", Does::nothing},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", Does::nothing},
    {"-err-no", "--display-error-number", Does::nothing},
    {"-no-err-no", "--no-display-error-number", Does::nothing},
    {"-diag-suppress", "--diag-suppress", Does::nothing, true},
    {"-diag-error", "--diag-error", Does::nothing, true},
    {"-diag-warn", "--diag-warn", Does::nothing, true},
    {"-noeh", "--no-exceptions", Does::compile, false, false, "-fno-exceptions"},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", Does::nothing},
    {"-forward-unknown-opts", "--forward-unknown-opts", Does::nothing},
    {"-time", "--time", Does::nothing, true},
    {"-ptx", "--ptx", Does::refused, false, false, "there is no PTX: kernels run as C++"},
    {"-cubin", "--cubin", Does::refused, false, false, "there is no GPU's code: kernels run as C++"},
    {"-fatbin", "--fatbin", Does::refused, false, false, "there is no GPU's code: kernels run as C++"},
    {"-shared", "--shared", Does::shared},
    {"-lib", "--lib", Does::refused, false, false, "use ar, which takes the objects as they are"},
    {"-run", "--run", Does::refused, false, false, "use cairn run"},
};

struct Found {
  const Option* option;
  std::optional<std::string> value;  // that came with it
};

// -arch=sm_80, -Idir, --std=c++17, -O3
std::optional<Found> find(const std::string& word) {
  for (const Option& option : kOptions) {
    for (const std::string_view name : {option.name, option.long_name}) {
      if (word == name) return Found{&option, {}};
      if (option.value && word.starts_with(std::string(name) + "="))
        return Found{&option, word.substr(name.size() + 1)};
    }
  }
  const Option* best = nullptr;
  for (const Option& option : kOptions) {
    if (option.joined && word.starts_with(option.name) && (best == nullptr || option.name.size() > best->name.size()))
      best = &option;
  }
  if (best == nullptr) return {};
  return Found{best, word.substr(best->name.size())};
}

// "-Wall,-fPIC" or "-Wall -fPIC" as two words.
void split(std::string list, std::vector<std::string>& into) {
  std::ranges::replace(list, ',', ' ');
  std::istringstream parts(list);
  for (std::string part; parts >> part;) into.push_back(part);
}

// The newest architecture that a value names, as __CUDA_ARCH__ has it: 900 of "arch=compute_90a,code=sm_90a".
int newest_in(const std::string& value) {
  int newest = 0;
  for (const std::string_view prefix : {"compute_", "sm_"}) {
    for (std::size_t at = value.find(prefix); at != std::string_view::npos; at = value.find(prefix, at + 1))
      newest = std::max(newest, 10 * std::atoi(value.c_str() + at + prefix.size()));
  }
  return newest;
}

std::string standard_of(const std::string& text) {
  const std::string_view prefix = text.starts_with("gnu++") ? "gnu++" : "c++";
  std::string year = text.starts_with(prefix) ? text.substr(prefix.size()) : "";
  for (const char* known : {"03", "11", "14", "17", "20", "23"})
    if (year == known) return year;
  throw Error(kUsage, fmt::format("-std '{}': there are c++11, c++14, c++17, c++20 and c++23", text));
}

class Parser {
 public:
  explicit Parser(std::vector<std::string> words) : words_(std::move(words)) {}

  NvccOptions parse() {
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const std::string word = words_[at_];
      if (word.starts_with("@")) {  // as CMake hands on long lists
        read(word.substr(1));
        continue;
      }
      if (word == "-" || word.empty() || word[0] != '-') {
        out_.inputs.push_back(word);
        continue;
      }
      if (word.starts_with("-forward-unknown") || word.starts_with("--forward-unknown")) forward_ = true;
      const auto found = find(word);
      if (found)
        take(*found, word);
      else if (forward_ || word.starts_with("-W") || word.starts_with("-f") || word == "-pthread")
        out_.compile.push_back(word), out_.link.push_back(word);
      else
        throw Error(kUsage, fmt::format("{}: no option of nvcc that cairn-nvcc knows", word));
    }
    if (!shared_.empty() && out_.stage != Stage::device_link)  // CMake says both
      throw Error(kUsage, fmt::format("{}: kernels in a shared library are not emulated; link its objects", shared_));
    return std::move(out_);
  }

 private:
  std::string value_of(const Found& found, const std::string& word) {
    if (found.value) return *found.value;
    if (at_ + 1 >= words_.size()) throw Error(kUsage, fmt::format("{}: its value is missing", word));
    return words_[++at_];
  }

  void take(const Found& found, const std::string& word) {
    const Option& option = *found.option;
    // -Werror and -O may stand alone.
    const bool alone = !found.value && (option.name == "-Werror" || option.name == "-O");
    const std::string value = option.value && !alone ? value_of(found, word) : "";
    const std::string name(option.as.empty() ? option.name : option.as);
    switch (option.does) {
      case Does::nothing: break;
      case Does::architecture: out_.architecture = std::max(out_.architecture, newest_in(value)); break;
      case Does::preprocess:
        out_.preprocess.push_back(name);
        out_.preprocess.push_back(value);
        break;
      case Does::compile: out_.compile.push_back(name); break;
      case Does::link: out_.link.push_back(name + value); break;
      case Does::output: out_.output = value; break;
      case Does::language: out_.language = value; break;
      case Does::standard: out_.standard = standard_of(value); break;
      case Does::to_compiler:
        split(value, out_.compile);
        split(value, out_.link);
        break;
      case Does::to_linker: {
        std::vector<std::string> parts;
        split(value, parts);
        for (const std::string& part : parts) out_.link.insert(out_.link.end(), {"-Xlinker", part});
        break;
      }
      case Does::library: out_.inputs.push_back("-l" + value); break;
      case Does::dependencies:
        out_.dependencies.push_back(name);
        if (option.value) out_.dependencies.push_back(value);
        break;
      case Does::file: read(value); break;
      case Does::stage_compile: out_.stage = Stage::compile; break;
      case Does::stage_device_link: out_.stage = Stage::device_link; break;
      case Does::stage_preprocess: out_.stage = Stage::preprocess; break;
      case Does::stage_dependencies:
        out_.stage = Stage::dependencies;
        out_.dependencies.push_back(name);
        break;
      case Does::verbose: out_.verbose = true; break;
      case Does::dry: out_.dry = true; break;
      case Does::version: out_.stage = Stage::version; break;
      case Does::shared: shared_ = word; break;
      case Does::refused: throw Error(kUsage, fmt::format("{}: {}", word, option.as));
    }
  }

  void read(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw Error(kUsage, fmt::format("cannot read {}", file));
    const std::vector<std::string> more{std::istream_iterator<std::string>(in), {}};
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, more.begin(), more.end());
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool forward_ = false;
  std::string shared_;  // -shared, as it was written
  NvccOptions out_;
};

bool ends_with_one_of(const std::string& file, std::initializer_list<const char*> endings) {
  return std::ranges::any_of(endings, [&](const char* ending) { return file.ends_with(ending); });
}

}  // namespace

NvccOptions parse_nvcc(const std::vector<std::string>& arguments) { return Parser(arguments).parse(); }

bool is_cuda_source(const std::string& file) { return file.ends_with(".cu"); }
bool is_source(const std::string& file) {
  return ends_with_one_of(file, {".cu", ".cpp", ".cc", ".cxx", ".c++", ".c"});
}

}  // namespace cairn::lab::program
