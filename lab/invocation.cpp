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
  for (int i = 1; i < argc; ++i) text += " " + quoted(argv[i]);
  remembered() = text;
}

std::string invocation() { return remembered(); }

}  // namespace cairn::lab
