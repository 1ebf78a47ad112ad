#include "lab/profile/ncu_output.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace cairn::lab::profile {
namespace {

// "1,234.5" is a number here; "n/a" and the empty field are none.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

// "(40, 40, 1)" as its three numbers.
std::vector<std::int64_t> extents(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc{}) numbers.push_back(value);
    at = error == std::errc{} ? static_cast<std::size_t>(stop - text.data()) : at + 1;
  }
  return numbers;
}

// Collects "==WORD== …" lines, and returns the rest, which is the table and what the program itself printed.
std::string without_remarks(std::string_view text, NcuOutput& out) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (!line.starts_with("==")) {
      rest += line;
      continue;
    }
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
    for (auto [word, list] : {std::pair{"==ERROR== ", &out.errors}, std::pair{"==WARNING== ", &out.warnings}}) {
      if (line.starts_with(word)) list->emplace_back(line.substr(std::string_view(word).size()));
    }
  }
  return rest;
}

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Does the text name this, and not something longer that begins with it?
bool names(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_name_part(text[at - 1]);
    if (starts && (end == text.size() || !is_name_part(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string field;
  bool quoted = false, any = false;
  const auto end_line = [&] {
    if (any) {
      line.push_back(std::move(field));
      lines.push_back(std::move(line));
    }
    line.clear(), field.clear(), any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        field += '"', ++i;
      } else if (c == '"') {
        quoted = false;
      } else {
        field += c;
      }
    } else if (c == '\n' || c == '\r') {
      end_line();
    } else {
      any = true;
      if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        line.push_back(std::move(field));
        field.clear();
      } else {
        field += c;
      }
    }
  }
  end_line();
  return lines;
}

double unit_factor(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"nsecond", 1},    {"ns", 1},
      {"usecond", 1e3},  {"us", 1e3},
      {"msecond", 1e6},  {"ms", 1e6},
      {"second", 1e9},   {"s", 1e9},
      {"kbyte", 1e3},    {"mbyte", 1e6},
      {"gbyte", 1e9},    {"tbyte", 1e12},
      {"khz", 1e3},      {"mhz", 1e6},
      {"ghz", 1e9},      {"cycle/usecond", 1e6},
      {"cycle/us", 1e6}, {"cycle/nsecond", 1e9},
      {"cycle/ns", 1e9},
  };
  std::string word(unit);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.ends_with("/block")) word.erase(word.size() - std::string_view("/block").size());
  for (const auto& [name, factor] : kUnits) {
    if (word == name) return factor;
  }
  return 1;
}

NcuOutput read_ncu_output(std::string_view text) {
  NcuOutput out;
  const auto lines = read_csv(without_remarks(text, out));
  const auto heading = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line[0] == "ID"; });
  if (heading == lines.end()) return out;
  std::vector<std::string> units(heading->size());
  for (auto line = heading + 1; line != lines.end(); ++line) {
    if (line->size() != heading->size()) continue;  // what the program printed
    if ((*line)[0].empty()) {
      units = *line;
      continue;
    }
    Launch launch;
    for (std::size_t c = 0; c < line->size(); ++c) {
      const std::string &name = (*heading)[c], &field = (*line)[c];
      if (name == "Kernel Name") launch.kernel = field;
      if (name == "Grid Size") launch.grid = extents(field);
      if (name == "Block Size") launch.block = extents(field);
      // Metrics are the columns with a double underscore; the others say whose launch it was.
      if (name.find("__") == std::string::npos) continue;
      if (const auto value = number(field)) launch.metrics[name] = *value * unit_factor(units[c]);
    }
    out.launches.push_back(std::move(launch));
  }
  return out;
}

std::vector<std::string> unknown_metrics(const NcuOutput& output, const std::vector<std::string>& asked) {
  std::vector<std::string> unknown;
  for (const std::string& metric : asked) {
    const std::string base = metric.substr(0, metric.find('.'));
    for (std::string error : output.errors) {
      if (error.find("metric") == std::string::npos) continue;
      std::erase(error, '\\');  // it may quote the name as a regular expression
      if (!names(error, base)) continue;
      unknown.push_back(metric);
      break;
    }
  }
  return unknown;
}

}  // namespace cairn::lab::profile
