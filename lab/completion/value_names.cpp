#include "lab/completion/value_names.hpp"

#include <map>
#include <string>

namespace cairn::lab {
namespace {

const std::map<std::string, const char*>& names() {
  static const std::map<std::string, const char*> all = {
      {"--out", "FILE"},
      {"--record", "FILE"},
      {"--readme", "FILE"},
      {"--html", "FILE"},
      {"--svg", "FILE"},
      {"--source", "FOLDER"},
      {"--suite", "SUITE"},
      {"--shape", "SHAPE"},
      {"--layout", "LAYOUT"},
      {"--type", "TYPE"},
      {"--order", "ORDER"},
      {"--device", "DEVICE"},
      {"--format", "FORMAT"},
      {"--style", "STYLE"},
      {"--op", "OP"},
      {"--operand", "OPERAND"},
      {"--pattern", "PATTERN"},
      {"--kernel", "NAME"},
      {"--grid", "BLOCKS"},
      {"--block", "THREADS"},
      {"--arg", "VALUE"},
      {"--flag", "FLAG"},
      {"--samples", "WORD"},
      {"--ld", "LD"},
      {"--lda", "LD"},
      {"--ldb", "LD"},
      {"--ldc", "LD"},
      {"--invariant", "SIDE"},
      {"--epilogue", "EPILOGUE"},
      {"--scales", "SCALES"},
      {"--groups", "GROUPS"},
  };
  return all;
}

}  // namespace

void name_values(CLI::App& app) {
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : verb->get_options()) {
      // A positional is its own name.
      if (option->get_positional()) option->type_name("");
      const auto found = names().find(option->get_name());
      if (found != names().end()) option->type_name(found->second);
    }
  }
}

}  // namespace cairn::lab
