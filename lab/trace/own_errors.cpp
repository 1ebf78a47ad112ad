// What g++ complains of, made short.
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "lab/trace/own_compile.hpp"

namespace cairn::lab::trace {

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
  static const std::regex from(R"(^In file included from (.+?):(\d+).*$)");
  static const std::regex undefined(R"(^.*(undefined reference to .*)$)");
  std::string first, includer;
  int errors = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, from)) {
      includer = fmt::format("{}:{}", named_by_user(found[1], users_file), found[2].str());
    } else if (std::regex_match(line, found, error)) {
      const std::string text = found[3];
      const std::size_t refused = text.find("#error cairn: ");
      if (errors++ > 0) continue;
      first = refused != std::string::npos
                  ? fmt::format("{}: {}", includer, text.substr(refused + 14))
                  : fmt::format("{}:{}: {}", named_by_user(found[1], users_file), found[2].str(), text);
    } else if (std::regex_match(line, found, undefined)) {
      if (errors++ == 0) first = fmt::format("{}: {}", users_file, found[1].str());
    }
  }
  if (errors > 1) first += fmt::format(" (and {} more)", errors - 1);
  return first;
}

}  // namespace cairn::lab::trace
