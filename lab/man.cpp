#include "lab/man.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cairn/cairn.hpp"

namespace cairn::lab {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Characters for roff: none is a request or an escape, and a hyphen is one that can be pasted into a shell.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      switch (text[i]) {
        case '\\': out += "\\e"; break;
        case '-': out += "\\-"; break;
        case '\'': out += "\\(aq"; break;
        case '`': out += "\\(ga"; break;
        case '^': out += "\\(ha"; break;
        case '~': out += "\\(ti"; break;
        default: out += text[i];
      }
      continue;
    }
    // UTF-8, from the sources of this command: \[u00B7].
    const std::size_t more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    std::uint32_t code = byte & (0x3fu >> more);
    for (std::size_t k = 0; k < more && i + 1 < text.size(); ++k)
      code = code << 6u | (static_cast<unsigned char>(text[++i]) & 0x3fu);
    out += fmt::format("\\[u{:04X}]", code);
  }
  return out;
}

// A line of text: one that begins with a dot would be a request.
std::string roff_line(std::string_view text) {
  const std::string line = roff(text);
  return (line.starts_with('.') ? "\\&" : "") + line + "\n";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Paragraphs are filled; lines that are indented, such as commands, stay as they are.
std::string body(std::string_view text) {
  std::string out;
  bool code = false, paragraph = false;
  const auto end_code = [&] {
    if (code) out += ".EE\n";
    code = false;
  };
  for (const std::string_view line : lines_of(text)) {
    if (line.empty()) {
      end_code();
      paragraph = false;
    } else if (line.starts_with("  ")) {
      if (!code) out += out.empty() ? ".EX\n" : ".PP\n.EX\n";
      code = true, paragraph = false;
      out += roff_line(line);
    } else {
      end_code();
      if (!paragraph && !out.empty()) out += ".PP\n";
      paragraph = true;
      out += roff_line(line);
    }
  }
  end_code();
  return out;
}

std::string options(const CLI::App& app, const CLI::Formatter& words, bool positionals, const std::string& group) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() != group || option->get_positional() != positionals) continue;
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}", roff(words.make_option_name(option, positionals)),
                       roff(words.make_option_opts(option)), body(words.make_option_desc(option)));
  }
  return out;
}

std::string section(const char* heading, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", heading, text);
}

std::string all_options(const CLI::App& app, const CLI::Formatter& words) {
  const std::string main = "Options";
  std::string out = options(app, words, false, main);
  for (const std::string& group : app.get_groups()) {
    if (group.empty() || group == main) continue;
    const std::string more = options(app, words, false, group);
    if (!more.empty()) out += fmt::format(".SS {}\n{}", roff(group), more);
  }
  return out;
}

std::string verbs(const CLI::App& app) {
  std::string out;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string about = verb->get_description();
    out += fmt::format(".TP\n\\fBcairn\\-{}\\fR(1)\n{}", roff(verb->get_name()),
                       roff_line(about.substr(0, about.find('\n'))));
  }
  return out;
}

// The footer of --help is "Examples:" and indented lines.
std::string examples_of(const CLI::App& app) {
  std::string text = app.get_footer();
  return body(text.substr(std::min(text.find('\n') + 1, text.size())));
}

}  // namespace

std::string man_page(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const std::string name = parent == nullptr ? "cairn" : "cairn-" + app.get_name();
  const std::string called = parent == nullptr ? "cairn" : "cairn " + app.get_name();
  const auto& words = dynamic_cast<const CLI::Formatter&>(*app.get_formatter());
  const std::string about = app.get_description();
  const std::size_t first = std::min(about.find('\n'), about.size());
  std::string title = about.substr(0, first);
  if (title.ends_with('.')) title.pop_back();
  std::string usage = words.make_usage(&app, called);
  usage.erase(0, usage.find(called));
  usage.erase(usage.find_last_not_of('\n') + 1);

  std::string page = fmt::format(".TH {} 1 \"\" \"cairn {}\" \"Cairn\"\n", roff(upper(name)), version());
  page += section("NAME", fmt::format("{} \\- {}", roff(name), roff_line(title)));
  page += section("SYNOPSIS", fmt::format("\\fB{}\\fR{}\n", roff(called), roff(usage.substr(called.size()))));
  page += section("DESCRIPTION", body(std::string_view(about).substr(std::min(first + 1, about.size()))));
  page += section("ARGUMENTS", options(app, words, true, "Options"));
  page += section("OPTIONS", all_options(app, words));
  page += section("VERBS", verbs(app));
  page += section("EXAMPLES", examples_of(app));
  if (parent != nullptr) page += section("SEE ALSO", "\\fBcairn\\fR(1)\n");
  return page;
}

}  // namespace cairn::lab
