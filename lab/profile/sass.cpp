#include "lab/profile/sass.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/profile/ncu.hpp"
#include "lab/profile/process.hpp"

namespace cairn::lab::profile {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? std::string_view{} : text.substr(from, to - from + 1);
}

// The number at the beginning of the text, in hexadecimal or decimal digits.
std::optional<std::int64_t> number(std::string_view text, int base) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// The next word of a line, taken off it.
std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t;"));
  line.remove_prefix(word.size());
  return word;
}

// "/*0a40*/  @P1 BRA 0x740 ;  /* 0xfff… */"; the second half of an instruction's encoding stands on a line without
// an address.
std::optional<Instruction> instruction(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("/*")) return {};
  const std::size_t end = line.find("*/");
  if (end == std::string_view::npos || line[2] == ' ') return {};
  const auto address = number(line.substr(2, end - 2), 16);
  if (!address) return {};
  line.remove_prefix(end + 2);
  line = line.substr(0, line.find("/*"));
  Instruction out;
  out.address = *address;
  std::string_view word = next_word(line);
  if (word.starts_with('@')) {
    out.guard = word;
    word = next_word(line);
  }
  out.opcode = word;
  if (word == "BRA" || word.starts_with("BRA.")) {
    const std::size_t at = line.rfind("0x");
    if (at != std::string_view::npos) out.target = number(line.substr(at + 2), 16).value_or(-1);
  }
  return out;
}

std::vector<std::string_view> modifiers(std::string_view opcode) {
  std::vector<std::string_view> all;
  while (!opcode.empty()) {
    const std::size_t end = std::min(opcode.find('.'), opcode.size());
    all.push_back(opcode.substr(0, end));
    opcode.remove_prefix(std::min(end + 1, opcode.size()));
  }
  return all;
}

// 0, 1, 2 for 4, 8 and 16 bytes a lane.
int width(const std::vector<std::string_view>& words) {
  if (std::ranges::find(words, "128") != words.end()) return 2;
  return std::ranges::find(words, "64") != words.end() ? 1 : 0;
}

bool goes_back(const Instruction& one) { return one.target >= 0 && one.target < one.address; }

void count(const Instruction& one, Mix& mix) {
  ++mix.instructions;
  mix.predicated += one.guard.empty() ? 0 : 1;
  mix.never += one.guard == "@!PT" || one.guard == "@!UPT" ? 1 : 0;
  const auto words = modifiers(one.opcode);
  const std::string_view base = words.empty() ? std::string_view{} : words[0];
  const auto bytes = static_cast<std::size_t>(width(words));
  if (base == "FFMA") ++mix.ffma;
  if (base == "LDS") ++mix.lds[bytes];
  if (base == "STS") ++mix.sts[bytes];
  if (base == "LDG") ++mix.ldg[bytes];
  if (base == "LDGSTS") ++mix.ldgsts[bytes];
  if (base == "LDL" || base == "STL") ++mix.local;
  if (base == "IMAD" || base.starts_with("IADD") || base == "LEA") ++mix.integer;
  if (base == "BAR") ++mix.barriers;
}

}  // namespace

std::vector<Function> read_sass(std::string_view text) {
  std::vector<Function> all;
  int arch = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kArch = "code for sm_", kName = "Function : ";
    if (line.starts_with(kArch)) {
      arch = static_cast<int>(number(line.substr(kArch.size()), 10).value_or(0));
    } else if (line.starts_with(kName)) {
      all.push_back({std::string(line.substr(kName.size())), arch, {}});
    } else if (auto one = instruction(line); one && !all.empty()) {
      all.back().code.push_back(std::move(*one));
    }
  }
  return all;
}

const Function* find_function(const std::vector<Function>& all, std::string_view name, int arch) {
  const Function* best = nullptr;
  for (const Function& one : all) {
    if (one.name == name && one.arch <= arch && (best == nullptr || one.arch > best->arch)) best = &one;
  }
  return best;
}

Mix longest_loop(const Function& function) {
  const Instruction* back = nullptr;
  for (const Instruction& one : function.code) {
    if (goes_back(one) && (back == nullptr || one.address - one.target > back->address - back->target)) back = &one;
  }
  Mix mix;
  if (back == nullptr) return mix;
  for (const Instruction& one : function.code) {
    if (one.address < back->target || one.address > back->address) continue;
    count(one, mix);
    if (&one != back && goes_back(one) && one.target >= back->target) ++mix.loops;
  }
  return mix;
}

std::map<std::string, double> facts(const Mix& loop) {
  std::map<std::string, double> all = {{"loop_instructions", loop.instructions},
                                       {"loop_ffma", loop.ffma},
                                       {"loop_local", loop.local},
                                       {"loop_integer", loop.integer},
                                       {"loop_barriers", loop.barriers},
                                       {"loop_predicated", loop.predicated},
                                       {"loop_never", loop.never},
                                       {"loop_loops", loop.loops}};
  for (std::size_t i = 0; i < 3; ++i) {
    const int bytes = 4 << i;
    all[fmt::format("loop_lds_{}", bytes)] = loop.lds[i];
    all[fmt::format("loop_sts_{}", bytes)] = loop.sts[i];
    all[fmt::format("loop_ldg_{}", bytes)] = loop.ldg[i];
    all[fmt::format("loop_ldgsts_{}", bytes)] = loop.ldgsts[i];
  }
  return all;
}

std::string find_cuobjdump() {
  if (const char* chosen = std::getenv("CAIRN_CUOBJDUMP"); chosen != nullptr && *chosen != '\0') {
    if (std::filesystem::is_regular_file(chosen)) return chosen;
    throw Error(kLacking, fmt::format("CAIRN_CUOBJDUMP is {}, which is not a program", chosen));
  }
  if (auto found = find_tool("cuobjdump")) return *found;
  throw Error(kLacking,
              "there is no cuobjdump here: it is not on the PATH or in /usr/local/cuda*/bin; CAIRN_CUOBJDUMP can "
              "name it");
}

std::vector<Function> disassemble(const std::string& cuobjdump, const std::string& file,
                                  const std::vector<std::string>& names, const std::function<bool()>& tick) {
  const Ran ran = run_program({cuobjdump, "-sass", "-fun", fmt::format("{}", fmt::join(names, ",")), file}, tick);
  auto all = read_sass(ran.output);
  if (all.empty()) {
    const std::string said = ran.output.substr(0, ran.output.find('\n'));
    throw Error(kFailed, fmt::format("{} found none of the kernels in {}{}{}", cuobjdump, file,
                                     said.empty() ? "" : ": ", said));
  }
  return all;
}

}  // namespace cairn::lab::profile
