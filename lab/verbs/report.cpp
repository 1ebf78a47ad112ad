// cairn report: records as a table, or as the ladder in a README.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/options.hpp"
#include "lab/record/ladder.hpp"
#include "lab/record/show.hpp"
#include "lab/record/view.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::vector<std::string> records;
  std::string readme;
  std::string style;
  bool check = false;
  OutputOptions output;
};

std::string read_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw Error(kUsage, fmt::format("cannot read {}: {}", path, std::strerror(errno == 0 ? EIO : errno)));
  }
  return text.str();
}

int rewrite(const Options& options, const std::vector<record::Named>& records) {
  namespace fs = std::filesystem;
  const std::string old = read_text(options.readme);
  const fs::path file = fs::canonical(options.readme);  // a link stays one
  std::string wanted = old;
  for (const record::MarkedTable& table : record::ladder_tables(records, file.parent_path()))
    wanted = record::with_table(wanted, table, options.readme);
  if (options.check && wanted != old) {
    throw Error(kFailed, fmt::format("the ladder in {} is not what {} says; make readme writes it again",
                                     options.readme, fmt::join(options.records, ", ")));
  }
  if (wanted != old) write_file(file.string(), wanted, true);
  fmt::print("{}: the ladder is {}\n", options.readme, wanted == old ? "up to date" : "rewritten");
  return kGood;
}

int run(const Options& options) {
  const Output output(options.output);
  std::vector<record::Named> records;
  for (const std::string& path : options.records) records.push_back({path, record::read(path)});
  if (!options.readme.empty()) return rewrite(options, records);
  const Format format = output.format();
  const bool bold = options.output.out.empty() && use_colour(STDOUT_FILENO);
  record::check_style(options.style, format);
  if (!options.style.empty()) {
    std::string text;
    for (const record::Named& named : records) {
      if (!text.empty()) text += '\n';
      text += record::view_in_style(named.record, options.style, format, bold);
    }
    output.write(text);
  } else if (format == Format::csv || format == Format::json) {
    output.write(record::together(records));
  } else {
    output.write(record::pages(records, format, bold));
  }
  return kGood;
}

}  // namespace

Action report_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Show what records say\n"
      "A record is the file that cairn bench --record NAME.json writes. Medians, speeds and ratios are computed\n"
      "from its samples. With --readme, what stands between the lines <!-- ladder:begin --> and\n"
      "<!-- ladder:end --> of that file becomes the ladder's table at f32 nn 4096x4096x4096, and between\n"
      "<!-- tensor:begin --> and <!-- tensor:end --> that of the tensor trail, if the records have its rows.");
  verb.footer(examples({"cairn bench --shape 64 --type f32 --seconds 0.1 --record measured.json",
                        "cairn report measured.json", "cairn report measured.json --format csv",
                        "cairn report measured.json --style S2"}));
  verb.add_option("RECORD", options->records, "Files that cairn bench --record wrote")->required();
  auto* readme = verb.add_option("--readme", options->readme, "Rewrite the ladder's tables in this file");
  verb.add_flag("--check", options->check, "Only compare: fails if --readme would change the file")->needs(readme);
  verb.add_option("--style", options->style, "S0, S1 or S2: tables as some public kernel collections print them");
  add_output_flags(verb, options->output);
  for (const char* flag : {"--style", "--format", "--out", "--force"}) readme->excludes(verb.get_option(flag));
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
