#include "lab/record/page_tables.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/record/table_parts.hpp"
#include "lab/record/trail_pages.hpp"

namespace cairn::lab::record {
namespace {

std::string begin_marker(std::string_view table) { return fmt::format("<!-- {}:begin -->", table); }
std::string end_marker(std::string_view table) { return fmt::format("<!-- {}:end -->", table); }

// The only position of the marker.
std::size_t position_of(std::string_view marker, const std::string& page, const std::string& where) {
  const std::size_t at = page.find(marker);
  if (at == std::string::npos) throw Error(kFailed, fmt::format("{} has no marker {}", where, marker));
  if (page.find(marker, at + 1) != std::string::npos) {
    throw Error(kFailed, fmt::format("{} has the marker {} more than once", where, marker));
  }
  return at;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// What would end the target of a link, or start markup in it, as %20.
std::string link_target(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte > 0x7f || std::isalnum(byte) != 0 || std::string_view("/._-+~@,").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

constexpr std::string_view kTables[] = {"ladder", "tensor", "ratios", "brought", "steps"};

// Of a page of the trail, from all records together: a rung is in one of them, and its parent perhaps in another.
bool of_trail(const MarkedTable& table) { return table.name == "brought" || table.name == "steps"; }

std::string trail_text(const MarkedTable& table, const std::vector<Named>& records,
                       const std::filesystem::path& folder, const std::string& where) {
  if (table.name == "steps") return steps(records, folder);
  const std::string name = std::filesystem::path(where).stem().string();
  for (const Rung* rung : cards())
    if (page_name(rung->id) == name) return brought(*rung, records, folder);
  throw Error(kFailed, fmt::format("{} has the marker {}, and is not named as the page of a rung", where,
                                   begin_marker(table.name)));
}

// The names of the tables that the page has a marker for.
std::vector<MarkedTable> marked(const std::string& page, const std::string& where) {
  std::vector<MarkedTable> tables;
  std::vector<std::string> markers;
  for (const std::string_view name : kTables) {
    markers.push_back(begin_marker(name));
    const bool any = page.find(markers.back()) != std::string::npos;
    if (any || page.find(end_marker(name)) != std::string::npos) tables.push_back({std::string(name), ""});
  }
  if (tables.empty()) {
    const std::string last = markers.back();
    markers.pop_back();
    throw Error(kFailed, fmt::format("{} has no marker {} or {}", where, fmt::join(markers, ", "), last));
  }
  return tables;
}

}  // namespace

Ladder cards() { return emulated_ladder().empty() ? cuda_ladder() : emulated_ladder(); }

std::string linked(std::string_view id, const std::filesystem::path& folder) {
  for (const char* trail : {"", "trail/", "docs/trail/"}) {
    const std::string page = fmt::format("{}{}.md", trail, page_name(id));
    if (std::filesystem::exists(folder / page)) return fmt::format("[{}]({})", id, page);
  }
  return std::string(id);
}

std::string record_link(const Named& named) {
  return fmt::format("[{}]({}) at {}", as_markdown(one_line(file_name(named.name))), link_target(named.name),
                     as_markdown(one_line(named.record.build.commit.substr(0, 7))));
}

std::string title(const Named& named, const std::string& what) {
  const Record& record = named.record;
  const auto text = [](const std::string& name) { return as_markdown(one_line(name)); };
  std::vector<std::string> parts = {"**" + text(record.machine.name) + "**"};
  if (!record.machine.software.empty()) parts.push_back(text(record.machine.software));
  std::ranges::transform(record.notes, std::back_inserter(parts), text);
  return fmt::format("{} · {}, {} caches{} · {}.", fmt::join(parts, ", "), what, text(record.method.cache),
                     record.method.sustained ? ", sustained load" : "", record_link(named));
}

std::vector<MarkedTable> page_tables(const std::string& page, const std::vector<Named>& records,
                                     const std::filesystem::path& folder, const std::string& where) {
  std::vector<MarkedTable> tables = marked(page, where);
  bool trail = false;
  for (MarkedTable& table : tables) {
    if (!of_trail(table)) continue;
    trail = true;
    table.text = trail_text(table, records, folder, where);
    if (table.text.empty())
      throw Error(kFailed, fmt::format("no record has rows at {0}x{0}x{0} for the table '{1}' of {2}", kPublishedSize,
                                       table.name, where));
  }
  Table ratios;
  ratios.columns = ratio_columns();
  for (const Named& named : records) {
    bool used = trail;
    for (MarkedTable& table : tables) {
      if (of_trail(table)) continue;
      if (table.name == "ratios") {
        const std::size_t before = ratios.rows.size();
        add_ratios(named, ratios);
        used = used || ratios.rows.size() > before;
        continue;
      }
      const std::string text = table.name == "ladder" ? simt_table(named, folder) : tensor_table(named, folder);
      if (text.empty()) continue;
      table.text += (table.text.empty() ? "" : "\n") + text;
      used = true;
    }
    if (!used) {
      throw Error(kFailed, fmt::format("{0} has rows for no table of {1}: those of the ladder show rungs at "
                                       "{2}x{2}x{2}, in f32 nn or in a tensor type; the ratios show cairn on several "
                                       "problems with a baseline",
                                       named.name, where, kPublishedSize));
    }
  }
  for (MarkedTable& table : tables)
    if (table.name == "ratios" && !ratios.rows.empty()) table.text = render(ratios, Format::md);
  std::erase_if(tables, [](const MarkedTable& table) { return table.text.empty(); });
  return tables;
}

std::string with_table(const std::string& page, const MarkedTable& table, const std::string& where) {
  const std::string begin = begin_marker(table.name), end = end_marker(table.name);
  const std::size_t from = position_of(begin, page, where) + begin.size();
  const std::size_t to = position_of(end, page, where);
  if (to < from) throw Error(kFailed, fmt::format("{} has {} before {}", where, end, begin));
  return page.substr(0, from) + "\n\n" + table.text + "\n" + page.substr(to);
}

}  // namespace cairn::lab::record
