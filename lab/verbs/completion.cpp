// cairn completion: the script that teaches a shell to complete.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "lab/completion/scripts.hpp"
#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

int print_script(const std::string& shell) {
  for (const CompletionScript& script : kCompletionScripts) {
    if (script.shell != shell) continue;
    Output({}).write(script.text);
    return kGood;
  }
  throw Error(kUsage, fmt::format("there is no completion for '{}', only for bash, zsh and fish", shell));
}

}  // namespace

Action completion_verb(CLI::App& verb) {
  auto shell = std::make_shared<std::string>();
  verb.description(
      "Print a script that teaches a shell to complete verbs, flags, ids and file names\n"
      "An installed cairn needs none: shells find it under share/. Else, for every new shell:\n"
      "  eval \"$(cairn completion bash)\"     in ~/.bashrc\n"
      "  eval \"$(cairn completion zsh)\"      in ~/.zshrc, below compinit\n"
      "  cairn completion fish | source      in ~/.config/fish/config.fish");
  verb.footer(examples({"cairn completion bash", "cairn completion zsh", "cairn completion fish"}));
  verb.add_option("SHELL", *shell, "bash, zsh or fish")->required();
  return [shell] { return print_script(*shell); };
}

}  // namespace cairn::lab
