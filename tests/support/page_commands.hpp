// The commands that a page shows: lines of its blocks ```sh, and indented lines that begin with one of ours.
#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace cairn::testing {

struct PageCommand {
  int line = 0;
  std::string text;     // lines that go on are one command
  std::string comment;  // what follows a #

  bool is(const std::string& program) const { return text.starts_with(program + " ") || text == program; }
  // The page says so: by the device it names, or by a comment.
  bool needs_gpu() const {
    return text.find("--device gpu") != std::string::npos || comment.find("needs a GPU") != std::string::npos;
  }
};

struct PageContents {
  std::vector<PageCommand> commands;
  std::map<std::string, std::string> files;  // blocks that begin "// mine.cu", by that name
  std::vector<int> hidden;                   // lines that look like a command, in a block that is no ```sh
};

// Splits off the comment: a # after a space, outside of quotes.
inline PageCommand page_command(const std::string& text, int line) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#' && i > 0 && text[i - 1] == ' ') {
      std::string command = text.substr(0, i);
      command.erase(command.find_last_not_of(' ') + 1);
      return {line, command, text.substr(i + 1)};
    }
  }
  return {line, text, ""};
}

// Whether the next line belongs to the same command.
inline bool goes_on(const std::string& text) {
  return text.ends_with('\\') || std::ranges::count(text, '\'') % 2 != 0;
}

inline PageContents contents_of(const std::string& page) {
  static const std::regex ours("^(cairn|make|(build/)?[a-z/]*bin/cairn) .*"), named("^// ([a-z_]+\\.cu)$");
  PageContents found;
  std::istringstream lines(page);
  std::string fence, file, text;  // of the block, its file, and the command so far
  bool inside = false, first = false;
  int number = 0, began = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string bare = line.substr(indent);
    if (bare.starts_with("```")) {
      inside = !inside, first = inside;
      fence = inside ? bare.substr(3) : "", file.clear(), text.clear();
      continue;
    }
    if (inside && fence != "sh") {
      std::smatch name;
      if (first && std::regex_match(bare, name, named)) file = name[1];
      if (!file.empty()) found.files[file] += line + '\n';
      if (std::regex_match(bare, ours)) found.hidden.push_back(number);
    } else if (inside || !text.empty() || (indent >= 4 && std::regex_match(bare, ours))) {
      if (text.empty()) began = number;
      if (text.ends_with('\\')) text.back() = ' ';
      text += (text.empty() || text.ends_with(' ') ? "" : "\n") + bare;
      if (goes_on(text) || text.empty()) continue;
      if (!text.starts_with('#')) found.commands.push_back(page_command(text, began));
      text.clear();
    }
    first = false;
  }
  return found;
}

}  // namespace cairn::testing
