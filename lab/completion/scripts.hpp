// The scripts that teach a shell to complete. They hold no lists: they ask `cairn __complete` (answer.hpp).
#pragma once

#include <string>
#include <string_view>

namespace cairn::lab {

struct CompletionScript {
  std::string_view shell;
  std::string_view file;  // where shells look for it, below share/
  std::string_view text;
};

inline constexpr CompletionScript kCompletionScripts[] = {
    {"bash", "bash-completion/completions/cairn",
     R"sh(# Completion for cairn in bash:  eval "$(cairn completion bash)"
_cairn() {
  # bash also divides words at = : and @. What is not apart on the line is one word here.
  local rest=${COMP_LINE:0:COMP_POINT} part text i head paths='' quoted=''
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    part=${rest%%[![:space:]]*}
    rest=${rest#"$part"}
    if [[ $i == 0 || $part ]]; then words+=(""); fi
    part=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then part=$rest; fi
    words[${#words[@]} - 1]+=$part
    rest=${rest#"$part"}
  done
  local current=${words[${#words[@]} - 1]}
  if [[ $current == [\'\"]* ]]; then quoted=yes current=${current:1}; fi
  words[${#words[@]} - 1]=$current
  COMPREPLY=()
  while IFS= read -r text; do
    case $text in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      *) COMPREPLY+=("${text%%$'\t'*}") ;;
    esac
  done < <("${1/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
  if [[ $paths ]]; then
    [[ $current == --*=* ]] && text=${current#*=} || text=$current
    while IFS= read -r part; do COMPREPLY+=("$part"); done < <(compgen "$paths" -- "$text")
    compopt -o filenames 2>/dev/null
  fi
  # Only what follows the last of those characters is replaced; an @ is replaced too.
  part=${COMP_WORDBREAKS//[!=:@]/}
  if [[ $part && ! $quoted ]]; then
    head=${current%"${current##*["$part"]}"}
    head=${head%@}
    COMPREPLY=("${COMPREPLY[@]#"$head"}")
  fi
}
complete -F _cairn cairn
)sh"},
    {"zsh", "zsh/site-functions/_cairn", R"sh(#compdef cairn
# Completion for cairn in zsh, after compinit:  eval "$(cairn completion zsh)"
_cairn() {
  local text paths found=1
  local -a said shown
  while IFS= read -r text; do
    case $text in
      (:files) paths=files ;;
      (:folders) paths=folders ;;
      (*)
        said+=("${text%%$'\t'*}")
        shown+=("${text/$'\t'/  -- }")
        ;;
    esac
  done < <("${(Q)words[1]/#\~/$HOME}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
  if (( $#said )); then
    compadd -l -d shown -a said && found=0
  fi
  if [[ -n $paths ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    if [[ $paths == folders ]]; then _files -/ && found=0; else _files && found=0; fi
  fi
  return found
}
if [[ ${funcstack[1]} == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
)sh"},
    {"fish", "fish/vendor_completions.d/cairn.fish",
     R"sh(# Completion for cairn in fish:  cairn completion fish | source
function __cairn_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command $words[1]
    set -e words[1]
    for text in ($command __complete $words "$current" 2>/dev/null)
        set -l head (string match -r -- '^--[^=]*=' "$current")
        set -l path (string replace -r -- '^--[^=]*=' '' "$current")
        switch $text
            case :files
                for file in (__fish_complete_path "$path")
                    echo "$head$file"
                end
            case :folders
                for file in (__fish_complete_directories "$path")
                    echo "$head$file"
                end
            case '*'
                echo $text
        end
    end
end
complete -c cairn -f -a '(__cairn_complete)'
)sh"},
};

}  // namespace cairn::lab
