// cairn report: records as tables, tables of a page, or a record in the present format.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/recorded.hpp"
#include "lab/options.hpp"
#include "lab/record/page_tables.hpp"
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
  std::string record;
  std::string samples = "keep";
  std::string svg;
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

// A record of an experiment has a table of its own; what the other options need, it has not.
record::Named read(const std::string& path, const Options& options) {
  const std::string text = record::read_text(path);
  const bool other = !options.readme.empty() || !options.style.empty();
  if (!record::is_lab(text) || other) return {path, record::from_json(text, path)};
  const record::LabRecord lab = record::lab_from_json(text, path);
  record::Record head;
  head.created = lab.created;
  head.build = lab.build;
  return {path, std::move(head), recall(lab, path).in_full()};
}

// A record of an experiment whose page is partly generated; throws Error for any other.
struct Shown {
  const Experiment* experiment;
  record::LabRecord record;
};
Shown shown(const std::string& path, const char* flag) {
  const std::string text = record::read_text(path);
  if (record::is_lab(text)) {
    record::LabRecord lab = record::lab_from_json(text, path);
    const Experiment* experiment = find_experiment(lab.experiment);
    if (experiment != nullptr && experiment->picture != nullptr && !lab.rows.empty())
      return {experiment, std::move(lab)};
  }
  throw Error(kUsage,
              fmt::format("{} is no record that {} has anything for; that of cairn lab precision is", path, flag));
}

int draw(const Options& options) {
  const Output picture(beside(options.output, "--svg", options.svg));
  if (options.records.size() != 1)
    throw Error(kUsage, fmt::format("--svg draws one record, and {} are given", options.records.size()));
  const Shown found = shown(options.records[0], "--svg");
  picture.write(found.experiment->picture(found.record));
  return kGood;
}

// Leaves the page as it is if only its tables are asked about.
int keep_page(const Options& options, const std::string& file, const std::string& old, const std::string& wanted) {
  if (options.check && wanted != old) {
    throw Error(kFailed, fmt::format("the tables in {} are not those of {}; make readme writes them again",
                                     options.readme, fmt::join(options.records, ", ")));
  }
  if (wanted != old) write_file(file, wanted, true);
  fmt::print("{}: the tables are {}\n", options.readme, wanted == old ? "up to date" : "rewritten");
  return kGood;
}

int rewrite_lab_page(const Options& options) {
  const Shown found = shown(options.records[0], "--readme");
  const std::string old = read_text(options.readme);
  const std::string text = fmt::format("{}, at {}. {}", as_markdown(one_line(found.record.machine)),
                                       as_markdown(one_line(found.record.build.commit.substr(0, 7))),
                                       found.experiment->page_table(found.record));
  return keep_page(options, std::filesystem::canonical(options.readme).string(), old,
                   record::with_table(old, {"findings", text}, options.readme));
}

int rewrite_page(const Options& options, std::vector<record::Named> records) {
  namespace fs = std::filesystem;
  const std::string old = read_text(options.readme);
  const fs::path file = fs::canonical(options.readme);  // the target of a symbolic link, which stays one
  for (record::Named& named : records) named.name = fs::relative(named.name, file.parent_path()).generic_string();
  std::string wanted = old;
  for (const record::MarkedTable& table : record::page_tables(old, records, file.parent_path(), options.readme))
    wanted = record::with_table(wanted, table, options.readme);
  return keep_page(options, file.string(), old, wanted);
}

int rewrite_record(const Options& options) {
  const Output keep(beside(options.output, "--record", options.record, "json"));
  if (options.records.size() != 1)
    throw Error(kUsage, fmt::format("--record writes one record again, and {} are given", options.records.size()));
  const record::Record record = record::read(options.records[0]);
  keep.write(record::to_json(options.samples == "summary" ? record::without_samples(record) : record));
  return kGood;
}

int run(const Options& options) {
  if (!options.record.empty()) return rewrite_record(options);
  if (!options.svg.empty()) return draw(options);
  if (!options.readme.empty() && options.records.size() == 1 && record::is_lab(record::read_text(options.records[0])))
    return rewrite_lab_page(options);
  const Output output(options.output);
  std::vector<record::Named> records;
  for (const std::string& path : options.records) records.push_back(read(path, options));
  if (!options.readme.empty()) return rewrite_page(options, std::move(records));
  const Format format = output.format();
  record::check_style(options.style, format);
  if (!options.style.empty()) {
    std::string text;
    for (const record::Named& named : records) {
      if (!text.empty()) text += '\n';
      text += record::view_in_style(named.record, options.style, format, output.terminal());
    }
    output.write(text);
  } else if (format == Format::csv || format == Format::json) {
    output.write(record::together(records));
  } else {
    output.write(record::pages(records, format, output.terminal()));
  }
  return kGood;
}

}  // namespace

Action report_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Show records as tables\n"
      "A record is the file that cairn bench --record NAME.json writes, or cairn profile or cairn lab. Medians,\n"
      "speeds, ratios and an experiment's findings are computed from its samples. With --readme, the tables between "
      "markers of that page are written again:\n"
      "<!-- ladder:begin --> … <!-- ladder:end -->, the f32 rungs at nn 4096x4096x4096; tensor, those on tensor\n"
      "cores; ratios, the library against the strongest baseline over the problems of each record; brought, on a\n"
      "rung's page, the rung against its parent; steps, which rungs are a step back from the one before.\n"
      "Of a record of cairn lab precision: <!-- findings:begin --> … <!-- findings:end -->, and --svg draws it.\n"
      "With --record, the record is written again in the present format; --samples summary leaves the samples\n"
      "out and keeps their statistics, for sweeps of many rows.");
  verb.footer(examples({"cairn bench --shape 64 --type f32 --seconds 0.1 --record measured.json",
                        "cairn report measured.json", "cairn report measured.json --format csv",
                        "cairn report measured.json --style S2",
                        "cairn report measured.json --samples summary --record small.json"}));
  verb.add_option("RECORD", options->records, "Files that --record of cairn bench, profile or lab wrote")->required();
  auto* readme = verb.add_option("--readme", options->readme, "Rewrite the tables between the markers of this page");
  verb.add_flag("--check", options->check, "Only compare: fails if --readme would change the file")->needs(readme);
  verb.add_option("--style", options->style, "S0, S1 or S2: tables as some public kernel collections print them");
  auto* record = verb.add_option("--record", options->record, "Write the record again, to this JSON file");
  verb.add_option("--samples", options->samples, "With --record: keep them, or only their summary")
      ->check(CLI::IsMember({"keep", "summary"}))
      ->capture_default_str()
      ->needs(record);
  auto* svg = verb.add_option("--svg", options->svg, "Draw the record of cairn lab precision into this file");
  add_output_flags(verb, options->output);
  for (const char* flag : {"--style", "--format", "--out", "--force", "--wide", "--record"})
    readme->excludes(verb.get_option(flag));
  for (const char* flag : {"--style", "--format", "--out", "--wide"}) record->excludes(verb.get_option(flag));
  for (const char* flag : {"--style", "--format", "--out", "--wide", "--record", "--readme"})
    svg->excludes(verb.get_option(flag));
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
