#include "lab/diff/show.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/diff/hunks.hpp"
#include "lab/wrap.hpp"

namespace cairn::lab::diff {
namespace {

// "simt/12_a_transposed_vec4" is "12" next to another of its trail, and "simt/12" next to others.
std::string short_name(const std::string& id, bool with_trail) {
  const std::size_t slash = id.find('/') + 1;  // 0 where there is none
  const std::size_t end = slash < id.size() && id[slash] >= '0' && id[slash] <= '9' ? id.find('_', slash) : id.size();
  return with_trail ? id.substr(0, end) : id.substr(slash, end - slash);
}

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::same: return "same";
    case Kind::removed: return "removed";
    case Kind::added: return "added";
    case Kind::moved_from: return "moved_from";
    case Kind::moved_to: break;
  }
  return "moved_to";
}

const CodeLine* line_of(const Code& code, const std::optional<std::size_t>& index) {
  return index ? &code.lines[*index] : nullptr;
}

std::vector<std::string> folders_not_shown(const RungDiff& diff) {
  std::vector<std::string> folders;
  for (const RungSource* source : {&diff.old, &diff.now})
    if (!source->folder.empty() && (folders.empty() || folders[0] != source->folder))
      folders.push_back(source->folder);
  return folders;
}

// What is below the lines: the folder that was left out, and the counts.
std::string foot(const RungDiff& diff) {
  std::string text;
  for (const std::string& folder : folders_not_shown(diff))
    text += fmt::format("Of {} only the .cu file is shown, and not {}\n",
                        folder.substr(std::string_view("kernels/").size(), folder.size() - 9), folder);
  return text + count_line(diff) + "\n";
}

}  // namespace

RungDiff compare_rungs(RungSource old, RungSource now, bool raw) {
  RungDiff diff{std::move(old), std::move(now), raw, {}, {}, {}};
  diff.old_code = as_it_is(diff.old.text), diff.now_code = as_it_is(diff.now.text);
  diff.changes = compare(diff.old_code, diff.now_code, false);
  diff.raw_added = diff.changes.added, diff.raw_removed = diff.changes.removed;
  if (raw) return diff;
  diff.old_code = normalized(diff.old.text, diff.old.names);
  diff.now_code = normalized(diff.now.text, diff.now.names);
  diff.changes = compare(diff.old_code, diff.now_code, true);
  return diff;
}

std::string count_line(const RungDiff& diff) {
  const std::string &old = diff.old.names.id, &now = diff.now.names.id;
  const bool with_trail = old.substr(0, old.find('/')) != now.substr(0, now.find('/'));
  const Changes& c = diff.changes;
  const std::string names = fmt::format("{} -> {}", short_name(old, with_trail), short_name(now, with_trail));
  const std::size_t of = diff.now_code.lines.size();
  const std::string added = fmt::format("{} {} added", c.added, c.added == 1 ? "line" : "lines");
  if (diff.raw) return fmt::format("{}: {}, {} removed, of {}, comments included", names, added, c.removed, of);
  return fmt::format("{}: {}, {} removed, {} moved, of {} (raw: {} and {})", names, added, c.removed, c.moved, of,
                     diff.raw_added, diff.raw_removed);
}

std::string unified(const RungDiff& diff, const Look& look) {
  return unified_lines(diff, look) + fitted(foot(diff), look.wrap);
}

std::string side_by_side(const RungDiff& diff, const Look& look) {
  return two_columns(diff, look) + fitted(foot(diff), look.wrap);
}

std::string as_markdown(const RungDiff& diff, const Look& look) {
  Look plain = look;
  plain.colour = false, plain.wrap = 0;
  const std::string lines = unified_lines(diff, plain);
  std::string fence = "```";
  while (lines.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{}diff\n{}{}\n\n{}", fence, lines, fence, foot(diff));
}

std::string as_json(const RungDiff& diff, const Look& look) {
  using Json = nlohmann::ordered_json;
  const auto name_of = [](const RungSource& source) { return Json{{"id", source.names.id}, {"file", source.file}}; };
  const auto number = [](const CodeLine* line) { return line == nullptr ? Json() : Json(line->number); };
  Json json;
  json["old"] = name_of(diff.old);
  json["new"] = name_of(diff.now);
  json["raw"] = diff.raw;
  json["not_shown"] = folders_not_shown(diff);
  const Changes& c = diff.changes;
  json["counts"] = {{"added", c.added},
                    {"removed", c.removed},
                    {"moved", c.moved},
                    {"lines", diff.now_code.lines.size()},
                    {"raw_added", diff.raw_added},
                    {"raw_removed", diff.raw_removed}};
  json["hunks"] = Json::array();
  for (const Hunk& hunk : hunks(diff.changes, look.context)) {
    Json lines = Json::array();
    for (std::size_t i = hunk.first; i < hunk.last; ++i) {
      const Change& change = c.lines[i];
      const CodeLine *old = line_of(diff.old_code, change.old), *now = line_of(diff.now_code, change.now);
      Json line = {{"kind", word_of(change.kind)}, {"old_line", number(old)}, {"new_line", number(now)}};
      if (change.kind == Kind::moved_from)
        line["moved_to"] = diff.now_code.lines[c.moves[change.block].now_first].number;
      if (change.kind == Kind::moved_to)
        line["moved_from"] = diff.old_code.lines[c.moves[change.block].old_first].number;
      line["text"] = now != nullptr ? now->text : old->text;
      lines.push_back(std::move(line));
    }
    json["hunks"].push_back({{"lines", std::move(lines)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Table as_table(const RungDiff& diff, const Look& look) {
  Table table;
  table.columns = {{"hunk", "hunk"},
                   {"kind", "kind", Align::left},
                   {"old_line", "old line"},
                   {"new_line", "new line"},
                   {"text", "text", Align::left}};
  const auto number = [](const CodeLine* line) {
    return line == nullptr ? Cell{} : Cell{std::int64_t{line->number}};
  };
  std::int64_t count = 0;
  for (const Hunk& hunk : hunks(diff.changes, look.context)) {
    ++count;
    for (std::size_t i = hunk.first; i < hunk.last; ++i) {
      const Change& change = diff.changes.lines[i];
      const CodeLine *old = line_of(diff.old_code, change.old), *now = line_of(diff.now_code, change.now);
      table.rows.push_back({count, std::string(word_of(change.kind)), number(old), number(now),
                            now != nullptr ? now->text : old->text});
    }
  }
  return table;
}

std::vector<Column> ladder_columns() {
  return {{"id", "rung", Align::left}, {"parent", "parent", Align::left},
          {"raw_added", "raw +"},      {"raw_removed", "raw -"},
          {"added", "code +"},         {"removed", "code -"},
          {"moved", "moved"},          {"lines", "lines of code"}};
}

std::vector<Cell> ladder_row(const RungSource& rung, const RungDiff* diff) {
  std::vector<Cell> row(ladder_columns().size());
  row[0] = rung.names.id;
  if (!rung.parent.empty()) row[1] = rung.parent;
  if (diff == nullptr) return row;
  const auto lines = static_cast<std::int64_t>(diff->now_code.lines.size());
  const Changes& c = diff->changes;
  std::size_t column = 2;
  for (const std::int64_t count : {std::int64_t{diff->raw_added}, std::int64_t{diff->raw_removed},
                                   std::int64_t{c.added}, std::int64_t{c.removed}, std::int64_t{c.moved}, lines})
    row[column++] = count;
  return row;
}

}  // namespace cairn::lab::diff
