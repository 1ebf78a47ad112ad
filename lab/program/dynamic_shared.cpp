#include "lab/program/dynamic_shared.hpp"

#include <regex>
#include <set>

#include <fmt/format.h>

namespace cairn::lab::program {

// As cmake/dynamic_shared.cmake does for the ladder: every `extern __shared__ T name[]` is a thread_local that is
// declared and nowhere defined, and all of them name the block's dynamic shared memory.
std::string dynamic_shared(const std::string& symbols) {
  static const std::regex undefined(R"(TLS +[A-Z]+ +[A-Z]+ +UND +(\S+))");
  std::set<std::string> names;
  for (std::sregex_iterator at(symbols.begin(), symbols.end(), undefined), end; at != end; ++at) {
    if (const std::string name = (*at)[1]; !name.starts_with("_ZSt")) names.insert(name);
  }
  if (names.empty()) return "";  // the emulator's own will do
  names.insert("cairn_emu_dynamic_block");
  std::string text = "asm(R\"(\n  .pushsection .tbss,\"awT\",@nobits\n  .balign 1024\n";
  for (const std::string& name : names) {
    text += fmt::format("  .globl {0}\n  .hidden {0}\n  .type {0}, %tls_object\n  .size {0}, 232448\n{0}:\n", name);
  }
  return text +
         "  .zero 232448\n  .popsection\n)\");\n"
         "extern \"C\" __attribute__((visibility(\"hidden\"))) __thread unsigned char cairn_emu_dynamic_block[];\n"
         "extern \"C\" void* cairn_emu_dynamic_shared(void) { return cairn_emu_dynamic_block; }\n";
}

}  // namespace cairn::lab::program
