#include "lab/help.hpp"

#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "lab/table.hpp"
#include "lab/wrap.hpp"

namespace cairn::lab {
namespace {

// Joins the lines of a paragraph, which are broken for the source. The first line is a title; indented ones stay.
std::string joined(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  bool open = false;  // the last line is of a paragraph that may go on
  for (std::string line; std::getline(lines, line);) {
    const bool prose = !line.empty() && line[0] != ' ';
    out += (out.empty() ? "" : open && prose ? " " : "\n") + line;
    open = prose && out.size() > line.size();
  }
  return out;
}

// Two columns; `text` begins on a line of its own where `left` is too wide.
std::string two_columns(const std::string& left, const std::string& text, std::size_t indent, std::size_t columns) {
  const bool narrow = columns > 0 && columns < 2 * indent;
  const std::size_t start = narrow ? 6 : indent;
  std::string out = fitted(left, columns);
  std::string rest = text;
  if (columns > 0) rest = fmt::format("{}", fmt::join(wrapped(text, columns - start), "\n"));
  for (std::size_t at = 0; (at = rest.find('\n', at)) != std::string::npos; at += start + 1)
    rest.insert(at + 1, start, ' ');
  if (text.empty()) return out + "\n";
  const bool below = narrow || display_width(left) >= start;
  return out + (below ? "\n" + std::string(start, ' ') : std::string(start - display_width(left), ' ')) + rest + "\n";
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of('\n');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of('\n') + 1 - first);
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::string description = app->get_description();
  std::string out = fitted(columns_ > 0 ? joined(description) : description, columns_, 0) + "\n";
  out += fitted(trimmed(make_usage(app, std::move(name))), columns_) + "\n";
  for (const std::string& part : {make_positionals(app), make_groups(app, mode), make_subcommands(app, mode)})
    if (!part.empty()) out += "\n" + trimmed(part) + "\n";
  for (std::size_t at = 0; (at = out.find("\n\n\n", at)) != std::string::npos;) out.erase(at, 1);
  if (!app->get_footer().empty()) out += "\n" + fitted(app->get_footer(), columns_) + "\n";
  return out;
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return two_columns("  " + make_option_name(option, is_positional) + make_option_opts(option),
                     make_option_desc(option), get_column_width(), columns_);
}

std::string HelpFormat::make_subcommand(const CLI::App* verb) const {
  const std::string text = verb->get_description();
  return two_columns("  " + verb->get_name(), text.substr(0, text.find('\n')), 14, columns_);
}

}  // namespace cairn::lab
