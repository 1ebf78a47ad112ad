#include "lab/completion/answer.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "lab/completion/words.hpp"

namespace cairn::lab {
namespace {

enum class Paths : std::uint8_t { none, files, folders };

struct Offer {
  Words words;
  Paths paths = Paths::none;
};

Words each_of(std::string_view list) {
  Words words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", "), list.size());
    if (end > 0) words.push_back({std::string(list.substr(0, end))});
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The values of an option or of a positional, by what --help calls them.
Offer values_of(const CLI::App& verb, const CLI::Option& option, const std::string& typed) {
  const std::string& at = verb.get_name();
  const std::string shown = option.get_type_name();
  if (const auto brace = shown.find('{'); brace != std::string::npos)  // CLI::IsMember
    return {each_of(std::string_view(shown).substr(brace + 1, shown.find('}') - brace - 1))};
  const std::string name = option.get_positional() ? option.get_name(true) : shown.substr(0, shown.find(':'));
  if (name == "FILE" || name == "RECORD" || name == "OLD" || name == "NEW") return {{}, Paths::files};
  if (name == "FOLDER") return {{}, Paths::folders};
  // `cairn trace` takes rungs, or a file with a kernel of the user's.
  if (name == "ID" && at == "trace")
    return {rung_words(typed, true), typed.find('@') == std::string::npos ? Paths::files : Paths::none};
  if (name == "ID") return {contender_words(typed, at == "bench" || at == "profile")};
  if (name == "RUNG" || name == "OTHER") return {rung_words(typed, false)};
  if (name == "TYPE") return {at == "info" ? each_of("f16 bf16 tf32 e4m3") : type_words(typed)};
  if (name == "DEVICE") return {device_words()};
  if (name == "SUITE") return {suite_words(), Paths::files};
  if (name == "LAYOUT") return {each_of("nn nt tn tt")};
  if (name == "ORDER") return {each_of("row column")};
  if (name == "FORMAT") return {each_of("table csv json md")};
  if (name == "STYLE") return {each_of("S0 S1 S2")};
  if (name == "OP") return {each_of("mma wmma wgmma")};
  if (name == "OPERAND") return {each_of("a b c")};
  if (name == "NAME" && at == "lab") return {experiment_words()};
  if (name == "WHAT") return {each_of("fragment")};
  if (name == "SIDE") return {each_of("rows columns none")};
  if (name == "SHELL") return {each_of("bash zsh fish")};
  return {};  // a number, or something that only the user knows
}

const CLI::Option* option_named(const CLI::App& verb, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& one : option->get_lnames())
      if (name == "--" + one) return option;
    for (const std::string& one : option->get_snames())
      if (name.substr(0, 2) == "-" + one) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_type_size() != 0; }

// Those of the verb that may still be given.
Offer flags_of(const CLI::App& verb, const std::set<const CLI::Option*>& given) {
  Offer offer;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty() || (given.contains(option) && option->get_expected_max() <= 1)) continue;
    for (const std::string& name : option->get_lnames())
      offer.words.push_back({"--" + name, first_line(option->get_description())});
  }
  return offer;
}

Offer verbs_of(const CLI::App& app) {
  Offer offer;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    offer.words.push_back({verb->get_name(), first_line(verb->get_description())});
  return offer;
}

// The positional that word number `place` belongs to.
const CLI::Option* positional(const CLI::App& verb, int place) {
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    if (place < option->get_items_expected_max()) return option;
    place -= option->get_items_expected_max();
  }
  return nullptr;
}

// The words behind the verb, up to the cursor.
struct Line {
  const CLI::Option* open = nullptr;  // waits for its value
  std::set<const CLI::Option*> given;
  int place = 0;            // positionals so far
  bool flags_over = false;  // behind "--"
};

Line read(const CLI::App& verb, const std::vector<std::string>& words) {
  Line line;
  for (const std::string& word : words) {
    if (line.open != nullptr) {
      line.open = nullptr;
    } else if (!line.flags_over && word == "--") {
      line.flags_over = true;
    } else if (!line.flags_over && word.size() > 1 && word[0] == '-') {
      const CLI::Option* option = option_named(verb, word);
      if (option == nullptr) continue;
      line.given.insert(option);
      const bool has_value = word.starts_with("--") ? word.find('=') != std::string::npos : word.size() > 2;
      if (takes_value(*option) && !has_value) line.open = option;
    } else {
      ++line.place;
    }
  }
  return line;
}

// One line each for the words that continue `typed`, behind `before`: "--type=", "f32,".
std::string lines_of(const Offer& offer, const std::string& before, const std::string& typed) {
  std::string text;
  for (const Word& word : offer.words) {
    if (word.text.starts_with(typed))
      text += before + word.text + (word.about.empty() ? "" : "\t" + word.about) + "\n";
  }
  if (offer.paths == Paths::files) text += ":files\n";
  if (offer.paths == Paths::folders) text += ":folders\n";
  return text;
}

std::string values(const CLI::App& verb, const CLI::Option& option, std::string before, std::string typed) {
  if (const auto comma = typed.rfind(','); option.get_delimiter() == ',' && comma != std::string::npos) {
    before += typed.substr(0, comma + 1);
    typed = typed.substr(comma + 1);
  }
  return lines_of(values_of(verb, option, typed), before, typed);
}

}  // namespace

std::string complete(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  const std::string current = words.back();
  words.pop_back();
  if (words.empty()) return lines_of(current.starts_with("-") ? flags_of(app, {}) : verbs_of(app), "", current);
  const auto verbs = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == words[0]; });
  if (verbs.empty()) return "";
  const CLI::App& verb = *verbs[0];
  words.erase(words.begin());
  const Line line = read(verb, words);
  if (line.open != nullptr) return values(verb, *line.open, "", current);
  if (!line.flags_over && current.starts_with("-")) {
    const auto equals = current.find('=');
    if (equals == std::string::npos) return lines_of(flags_of(verb, line.given), "", current);
    const CLI::Option* option = option_named(verb, current);
    if (option == nullptr || !takes_value(*option)) return "";
    return values(verb, *option, current.substr(0, equals + 1), current.substr(equals + 1));
  }
  if (const CLI::Option* option = positional(verb, line.place); option != nullptr)
    return values(verb, *option, "", current);
  return current.empty() && !line.flags_over ? lines_of(flags_of(verb, line.given), "", "") : "";
}

}  // namespace cairn::lab
