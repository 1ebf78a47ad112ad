#include "lab/program/compiler_errors.hpp"

#include <filesystem>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace cairn::lab::program {

namespace fs = std::filesystem;

std::string named_by_user(std::string text, const std::string& users_file) {
  const std::string as_he_does = fs::path(users_file).parent_path() / "";
  for (const std::string& folder :
       {std::string(kUsersFolder), (fs::absolute(users_file).lexically_normal().parent_path() / "").string()}) {
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos; at += as_he_does.size())
      text.replace(at, folder.size(), as_he_does);
  }
  return text;
}

std::string first_error(const std::string& output, const std::string& users_file) {
  static const std::regex error(R"(^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$)");
  // Whose line it is that an error in a header of the emulator's comes from: an include, or the use of a template.
  static const std::regex from(R"(^In file included from (.+?):(\d+).*$)");
  static const std::regex required(R"(^(.+?):(\d+):(?:\d+:)? +required from here$)");
  static const std::regex told(R"(^(?:#error|static assertion failed:) cairn: (.*)$)");
  static const std::regex undefined(R"(^.*(undefined reference to .*)$)");
  std::string first, includer;
  int errors = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, from) || std::regex_match(line, found, required)) {
      includer = fmt::format("{}:{}", named_by_user(found[1], users_file), found[2].str());
    } else if (std::regex_match(line, found, error)) {
      const std::string text = found[3];
      if (errors++ > 0) continue;
      std::smatch words;
      first = std::regex_match(text, words, told)
                  ? fmt::format("{}: {}", includer, words[1].str())
                  : fmt::format("{}:{}: {}", named_by_user(found[1], users_file), found[2].str(), text);
    } else if (std::regex_match(line, found, undefined)) {
      if (errors++ == 0) first = fmt::format("{}: {}", users_file, found[1].str());
    }
  }
  if (errors > 1) first += fmt::format(" (and {} more)", errors - 1);
  return first;
}

}  // namespace cairn::lab::program
