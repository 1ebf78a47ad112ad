// One table, four renderings. Verbs fill a Table with typed cells and never format a row themselves, so that
// what people read, what a spreadsheet opens and what a script parses cannot drift apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cairn::lab {

enum class Format : std::uint8_t { table, csv, json, md };
enum class Align : std::uint8_t { left, right };
enum class Audience : std::uint8_t { all, people, machines };  // people: table and md; machines: csv and json

struct Column {
  std::string key;    // snake_case and stable: the JSON key and the CSV header
  std::string title;  // what people read
  Align align = Align::right;
  int decimals = 3;  // of a double, for people; machines get every digit
  Audience audience = Audience::all;
  bool markdown = false;  // its cells are Markdown already, with links; else they are text, shown letter by letter
  bool time = false;  // milliseconds, and the title ends in ms: people see µs or ns where they would see few digits
};

// A column of milliseconds.
Column time_column(std::string key, std::string title, Audience audience = Audience::all);

// monostate is "absent": empty for people and CSV, null in JSON. A list (raw samples) is an array in JSON.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, bool, std::vector<double>>;

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  // For many columns and few rows: people see one line per column and one column per row. Machines see no
  // difference. The first column becomes the heading; a line that is empty for every row is left out.
  bool upright = false;
  // Where the terminal is too narrow, as many columns as fit stand next to the first one and the next ones below them:
  // for a matrix, whose columns are all alike. An upright table does the same with its rows.
  bool in_blocks = false;
  // Keys of columns that a narrow terminal leaves out, the first one first; after them those on the right.
  std::vector<std::string> spare = {};
};

// What a table is rendered for; by default for a file or a pipe.
struct Terminal {
  bool bold = false;        // the heading
  std::size_t columns = 0;  // 0: as wide as the text is
};

// A table below the first one. In Markdown it is code, so that its columns stay below each other.
struct Section {
  std::string heading;  // or none
  Table table = {};     // without columns: the heading alone
};

// What a verb has to say: lines for people around one table, and what its rows come to.
struct Report {
  std::vector<std::string> before;
  Table table;
  std::vector<std::string> after;
  std::vector<std::string> alarms;     // what is wrong: after the table; with csv and json on stderr
  Table totals = {};                   // at the end, for people; without columns: none
  Table worst = {};                    // after them: the problems with the lowest ratios
  std::vector<Section> sections = {};  // between the alarms and `after`, for people
};

// What people are shown has no control characters, and in Markdown no markup but that of the columns that say so:
// names come from records, and records from anyone.
// Every rendering ends in a newline. Only Format::table looks at the terminal's width.
std::string render(const Table& table, Format format, const Terminal& terminal = {});
// The lines around the table and the totals are for people: csv and json leave them out.
std::string render(const Report& report, Format format, const Terminal& terminal = {});

// Columns a terminal needs for UTF-8 text; combining marks take none.
std::size_t display_width(std::string_view text);

}  // namespace cairn::lab
