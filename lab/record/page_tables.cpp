#include "lab/record/page_tables.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/record/table_parts.hpp"

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

}  // namespace

Ladder cards() { return emulated_ladder().empty() ? cuda_ladder() : emulated_ladder(); }

std::string linked(std::string_view id, const std::filesystem::path& folder) {
  std::string name(id);
  std::replace(name.begin(), name.end(), '/', '_');
  for (const char* trail : {"trail", "docs/trail"}) {
    const std::string page = fmt::format("{}/{}.md", trail, name);
    if (std::filesystem::exists(folder / page)) return fmt::format("[{}]({})", id, page);
  }
  return std::string(id);
}

std::string record_link(const Named& named) {
  return fmt::format("[{}]({}) at {}", file_name(named.name), named.name, named.record.build.commit.substr(0, 7));
}

std::string title(const Named& named, const std::string& what) {
  const Record& record = named.record;
  std::vector<std::string> parts = {"**" + record.machine.name + "**"};
  if (!record.machine.software.empty()) parts.push_back(record.machine.software);
  parts.insert(parts.end(), record.notes.begin(), record.notes.end());
  return fmt::format("{} · {}, {} caches{} · {}.", fmt::join(parts, ", "), what, record.method.cache,
                     record.method.sustained ? ", sustained load" : "", record_link(named));
}

std::vector<MarkedTable> page_tables(const std::string& page, const std::vector<Named>& records,
                                     const std::filesystem::path& folder, const std::string& where) {
  std::vector<MarkedTable> tables;
  for (const char* name : {"ladder", "tensor", "ratios"}) {
    const bool marked = page.find(begin_marker(name)) != std::string::npos;
    if (marked || page.find(end_marker(name)) != std::string::npos) tables.push_back({name, ""});
  }
  if (tables.empty()) {
    throw Error(kFailed, fmt::format("{} has no marker {}, {} or {}", where, begin_marker("ladder"),
                                     begin_marker("tensor"), begin_marker("ratios")));
  }
  Table ratios;
  ratios.columns = ratio_columns();
  for (const Named& named : records) {
    bool used = false;
    for (MarkedTable& table : tables) {
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
