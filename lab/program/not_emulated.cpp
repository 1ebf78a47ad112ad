#include "lab/program/not_emulated.hpp"

#include <algorithm>
#include <regex>

namespace cairn::lab::program {
namespace {

struct Part {
  const char* names;
  const char* sentence;
};

// The first that fits counts.
constexpr Part kParts[] = {
    {"(cuda|CU)?(_)?(tex|surf|Tex|Surf|TEXTURE|SURFACE).*|cuda(Malloc|Free|Memcpy.*|Get.*)?(Array|Mipmapped|"
     "ChannelFormat|ChannelDesc).*|"
     "cudaCreate(Texture|Surface|Channel).*|cudaDestroy(Texture|Surface).*|cudaAddressMode.*|cudaFilterMode.*|"
     "cudaReadMode.*",
     "textures, surfaces and CUDA arrays are not emulated"},
    {"cudaGraph.*", "of CUDA graphs there is what the runtime API's header here declares"},
    {"cuda(Ipc|External|Import|Graphics|GL|D3D|VDPAU|EGL).*",
     "memory shared with other processes and graphics is not emulated"},
    {"cu[A-Z]\\w*|CU[a-z]\\w*|CU_\\w*", "the driver API is not emulated, but for tensor maps"},
};

}  // namespace

std::vector<std::string> parts_not_emulated(const std::string& errors) {
  static const std::regex unknown(
      "error: [^\\n]*?(?:'|\u2018)(\\w+)(?:'|\u2019)[^\\n]*?(?:was not declared|has not been declared|does not name "
      "a type)");
  std::vector<std::string> sentences;
  for (auto found = std::sregex_iterator(errors.begin(), errors.end(), unknown); found != std::sregex_iterator();
       ++found) {
    const std::string name = (*found)[1];
    for (const Part& part : kParts) {
      if (!std::regex_match(name, std::regex(part.names))) continue;
      if (std::ranges::find(sentences, part.sentence) == sentences.end()) sentences.emplace_back(part.sentence);
      break;
    }
  }
  return sentences;
}

}  // namespace cairn::lab::program
