// nvcc's command line, as far as people use it, in the words of g++.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab::program {

enum class Stage { link, device_link, compile, preprocess, dependencies, version };

struct NvccOptions {
  Stage stage = Stage::link;
  std::string output;               // -o; empty if not given
  std::vector<std::string> inputs;  // sources, objects, archives and -l, in their order
  std::string language;             // -x: empty, "cu", "c++" or "c"
  std::string standard;             // "17"; empty if not given
  int architecture = 0;             // the newest of -arch and -gencode, as __CUDA_ARCH__ has it; 0 if none is named
  bool verbose = false, dry = false;
  std::vector<std::string> preprocess;    // -I, -D, -include …
  std::vector<std::string> dependencies;  // -MD, -MF …
  std::vector<std::string> compile;       // -g, and what -Xcompiler has
  std::vector<std::string> link;          // -L, and what -Xlinker has
};

// Throws Error (kUsage): one line about what there is no counterpart for, such as -ptx. What only tells nvcc how to
// make code for a GPU is accepted and without effect: -maxrregcount, -lineinfo …
NvccOptions parse_nvcc(const std::vector<std::string>& arguments);

bool is_cuda_source(const std::string& file);  // .cu
bool is_source(const std::string& file);       // .cu, .cpp, .cc, .cxx, .c

}  // namespace cairn::lab::program
