#include "lab/invocation.hpp"

namespace cairn::lab {
namespace {

std::string& remembered() {
  static std::string text;
  return text;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_=+/.,:@%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

void set_invocation(int argc, const char* const* argv) {
  std::string text = "cairn";
  bool skip = false;  // the next argument is the value of a flag that is left out
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string flag = word.substr(0, word.find('='));
    const bool says_where = flag == "--out" || flag == "--record" || flag == "--html";
    const bool file = says_where && flag == word;
    if (!skip && !says_where && word != "--force") text += " " + quoted(word);
    skip = !skip && file;
  }
  remembered() = text;
}

std::string invocation() { return remembered(); }

}  // namespace cairn::lab
