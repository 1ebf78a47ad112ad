// cairn completion: a completion script, written from the flags the command really has.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

std::string flags_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& flag : option->get_lnames()) words += (words.empty() ? "--" : " --") + flag;
  }
  return words;
}

// Verbs first, then the flags of the verb that stands on the line; after --out, files.
std::string bash_script(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs += verb->get_name() + " ";
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), flags_of(*verb));
  }
  return fmt::format(R"sh(# Completion for cairn in bash:  eval "$(cairn completion bash)"
_cairn() {{
  local words="{verbs}{flags}" current="${{COMP_WORDS[COMP_CWORD]}}"
  if [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == @(--out|--record|--suite|--readme|--source) ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  ((COMP_CWORD > 1)) && case ${{COMP_WORDS[1]}} in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -F _cairn cairn
)sh",
                     fmt::arg("verbs", verbs), fmt::arg("flags", flags_of(app)), fmt::arg("cases", cases));
}

}  // namespace

Action completion_verb(CLI::App& verb) {
  auto shell = std::make_shared<std::string>();
  verb.description(
      "Print a script that teaches a shell to complete verbs and flags\n"
      "For every new bash, in ~/.bashrc:  eval \"$(cairn completion bash)\"");
  verb.footer(examples({"cairn completion bash"}));
  verb.add_option("SHELL", *shell, "bash")->required();
  return [shell, &verb] {
    if (*shell != "bash") throw Error(kUsage, fmt::format("there is no completion for '{}', only for bash", *shell));
    Output({}).write(bash_script(*verb.get_parent()));
    return static_cast<int>(kGood);
  };
}

}  // namespace cairn::lab
