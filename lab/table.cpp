#include "lab/table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/escape.hpp"
#include "lab/page.hpp"
#include "lab/wrap.hpp"

namespace cairn::lab {
namespace {

using Grid = std::vector<std::vector<std::string>>;  // the first row is the heading

std::string for_people(const Cell& cell, const Column& column) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) return "";
        if constexpr (std::is_same_v<T, std::string>) return visible(value, Breaks::escape);
        if constexpr (std::is_same_v<T, std::int64_t>) return fmt::format("{}", value);
        if constexpr (std::is_same_v<T, double>) return fmt::format("{:.{}f}", value, column.decimals);
        if constexpr (std::is_same_v<T, bool>) return value ? "yes" : "no";
        if constexpr (std::is_same_v<T, std::vector<double>>) return fmt::format("{} values", value.size());
      },
      cell);
}

std::string for_csv(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) return "";
        if constexpr (std::is_same_v<T, std::string>) return value;
        if constexpr (std::is_same_v<T, std::int64_t>) return fmt::format("{}", value);
        if constexpr (std::is_same_v<T, double>) return std::isfinite(value) ? fmt::format("{}", value) : "";
        if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
        if constexpr (std::is_same_v<T, std::vector<double>>) return fmt::format("{}", fmt::join(value, ";"));
      },
      cell);
}

bool shown(const Column& column, Audience to) { return column.audience == Audience::all || column.audience == to; }

Grid grid(const Table& table, Audience to, const std::function<std::string(const Cell&, const Column&)>& text) {
  Grid lines(1 + table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (!shown(column, to)) continue;
    lines[0].push_back(to == Audience::people ? visible(column.title, Breaks::escape) : column.key);
    for (std::size_t r = 0; r < table.rows.size(); ++r) lines[r + 1].push_back(text(table.rows[r].at(c), column));
  }
  return lines;
}

// A unit of time that people read: times from `least` on have three digits in it.
struct TimeUnit {
  const char* name;
  double in_ms, least;
  int decimals;
};
constexpr TimeUnit kTimeUnits[] = {{"ms", 1, 0.01, 4}, {"µs", 1e3, 0.1, 3}, {"ns", 1e6, 0, 2}};

// One for all times of a table, by the shortest.
const TimeUnit& time_unit(const Table& table) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].time) continue;
    for (const auto& row : table.rows) {
      const double* ms = std::get_if<double>(&row.at(c));
      if (ms != nullptr && *ms > 0) shortest = std::min(shortest, *ms);
    }
  }
  return *std::ranges::find_if(kTimeUnits, [&](const TimeUnit& unit) { return shortest * unit.in_ms >= unit.least; });
}

// The table as people read its times.
Table with_units(Table table) {
  const TimeUnit& unit = time_unit(table);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    Column& column = table.columns[c];
    if (!column.time || !column.title.ends_with("ms")) continue;
    column.title.replace(column.title.size() - 2, 2, unit.name);
    column.decimals = unit.decimals;
    for (auto& row : table.rows)
      if (double* ms = std::get_if<double>(&row[c])) *ms *= unit.in_ms;
  }
  return table;
}

Page people_page(const Table& table, Format format) {
  Page page{grid(with_units(table), Audience::people, for_people), {}};
  std::vector<std::string> keys;
  const std::vector<std::string>& titles = page.lines[0];
  for (const Column& column : table.columns) {
    if (!shown(column, Audience::people)) continue;
    const std::size_t c = keys.size();
    std::string words = column.key;
    std::ranges::replace(words, '_', ' ');
    page.names.push_back(titles[c].empty() || std::ranges::count(titles, titles[c]) > 1 ? words : titles[c]);
    page.aligns.push_back(column.align);
    keys.push_back(column.key);
    for (std::size_t r = 0; format == Format::md && r < page.lines.size(); ++r) {
      if (r == 0 || !column.markdown) page.lines[r][c] = as_markdown(page.lines[r][c]);
    }
  }
  for (const std::string& key : table.spare) {
    const auto found = std::ranges::find(keys, key);
    if (found != keys.end()) page.spare.push_back(static_cast<std::size_t>(found - keys.begin()));
  }
  if (!table.upright || page.aligns.empty()) return page;
  Page upright = turned(page);
  return upright.lines.empty() ? Page{} : upright;  // no row has anything in it
}

std::string as_table(const Table& table, const Terminal& terminal) {
  const Page page = people_page(table, Format::table);
  if (terminal.columns == 0) return as_text(page, terminal.bold);
  return table.upright || table.in_blocks ? fit_in_blocks(page, terminal) : fit(page, terminal);
}

std::string as_md(const Page& page) {
  auto width = widths(page);
  std::string out;
  for (std::size_t r = 0; r < page.lines.size(); ++r) {
    std::string rule;
    for (std::size_t c = 0; c < width.size(); ++c) {
      width[c] = std::max<std::size_t>(width[c], 2);
      out += "| " + padded(page.lines[r][c], width[c], page.aligns[c]) + " ";
      rule += page.aligns[c] == Align::left ? "|" + std::string(width[c] + 2, '-')
                                            : "|" + std::string(width[c] + 1, '-') + ":";
    }
    out += "|\n";
    if (r == 0) out += rule + "|\n";
  }
  return out;
}

// RFC 4180: a field with a comma, a quote or a line break is quoted, quotes are doubled, lines end in CRLF.
std::string as_csv(const Table& table) {
  std::string out;
  for (const auto& line : grid(table, Audience::machines, [](const Cell&c, const Column&) { return for_csv(c); })) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      std::string field = line[c];
      if (field.find_first_of(",\"\r\n") != std::string::npos) {
        for (std::size_t at = 0; (at = field.find('"', at)) != std::string::npos; at += 2) field.insert(at, "\"");
        field = '"' + field + '"';
      }
      out += (c == 0 ? "" : ",") + field;
    }
    out += "\r\n";
  }
  return out;
}

nlohmann::ordered_json json_value(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;  // a double that is not finite prints as null
      },
      cell);
}

}  // namespace

static std::string as_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (shown(table.columns[c], Audience::machines)) object[table.columns[c].key] = json_value(row.at(c));
    }
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A fence longer than any run of backticks inside cannot be closed by what it holds.
static std::string as_code(const Table& table, Format format, const Terminal& terminal) {
  std::string text = as_table(table, {.columns = format == Format::table ? terminal.columns : 0});
  if (format != Format::md) return text;
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + '\n' + text + fence + '\n';
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0u) == 0x80u) continue;  // inside a character
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    const bool combining = byte == 0xccu || (byte == 0xcdu && next < 0xb0u);  // U+0300 … U+036F
    width += combining ? 0 : 1;
  }
  return width;
}

Column time_column(std::string key, std::string title, Audience audience) {
  return {.key = std::move(key),
          .title = std::move(title),
          .decimals = kTimeUnits[0].decimals,
          .audience = audience,
          .time = true};
}

std::string render(const Table& table, Format format, const Terminal& terminal) {
  switch (format) {
    case Format::table: return as_table(table, terminal);
    case Format::md: return as_md(people_page(table, format));
    case Format::csv: return as_csv(table);
    case Format::json: return as_json(table);
  }
  return {};
}

std::string render(const Report& report, Format format, const Terminal& terminal) {
  if (format == Format::csv || format == Format::json) return render(report.table, format);
  std::vector<std::string> blocks;
  const auto add_lines = [&](const std::vector<std::string>& lines) {
    std::string block;
    for (const std::string& line : lines) block += (format == Format::md ? as_markdown(line) : visible(line)) + '\n';
    if (!block.empty()) blocks.push_back(fitted(block, format == Format::table ? terminal.columns : 0));
  };
  const auto add_table = [&](const Table& table) {
    if (!table.columns.empty()) blocks.push_back(render(table, format, terminal));
  };
  add_lines(report.before);
  add_table(report.table);
  add_lines(report.alarms);
  for (const Section& section : report.sections) {
    if (!section.heading.empty()) add_lines({section.heading});
    if (!section.table.columns.empty()) blocks.push_back(as_code(section.table, format, terminal));
  }
  add_lines(report.after);
  add_table(report.totals);
  add_table(report.worst);
  return fmt::format("{}", fmt::join(blocks, "\n"));
}

}  // namespace cairn::lab
