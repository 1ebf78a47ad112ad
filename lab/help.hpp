// The text of --help, as wide as the terminal.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace cairn::lab {

// CLI11 from 2.5 on wraps help to widths of its own, and drops the indentation of examples; before, it wraps nothing.
// Here the text is put together and wrapped by us, so that it does not depend on the version.
class HelpFormat : public CLI::Formatter {
 public:
  void columns(std::size_t width) { columns_ = width; }  // 0: lines as they are written

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  // In the list of verbs only the first line of a description; the rest is for the verb's own --help.
  std::string make_subcommand(const CLI::App* verb) const override;

 private:
  std::size_t columns_ = 0;
};

}  // namespace cairn::lab
