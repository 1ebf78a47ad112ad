// cairn diff: the code of a rung against the rung it was made from.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "lab/diff/rung_source.hpp"
#include "lab/diff/show.hpp"
#include "lab/exit.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/terminal.hpp"
#include "lab/trace/source.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Options {
  std::string rung, other;
  bool all = false, raw = false, side_by_side = false;
  std::int64_t context = 3;
  std::string source;
  OutputOptions output;
};

// $COLUMNS, else what the terminal says, else 120.
std::size_t page_width(bool to_terminal) {
  const std::size_t width = to_terminal ? terminal_columns(STDOUT_FILENO) : columns_asked();
  return width > 0 ? width : 120;
}

std::vector<std::string> roots_of(const Options& options) {
  if (options.source.empty()) return trace::source_roots();
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.source + "/kernels", ignored))
    throw Error(kUsage, fmt::format("--source '{}' has no folder kernels; name a folder with Cairn's sources",
                                    options.source));
  return {options.source};
}

int show_one(const Options& options) {
  const Output output(options.output);
  const Format format = output.format();
  if (options.side_by_side && format != Format::table) {
    throw Error(kUsage, "--side-by-side is for people; csv, json and md have one column");
  }
  const auto all = diff::rungs_of_this_build();
  const auto roots = roots_of(options);
  const diff::RungSource rung = diff::read_rung(diff::find_rung(options.rung, all), roots);
  const diff::OwnNames& other =
      options.other.empty() ? diff::parent_of(rung, all) : diff::find_rung(options.other, all);
  const diff::RungDiff found = diff::compare_rungs(diff::read_rung(other, roots), rung, options.raw);

  const bool to_terminal = output.to_stdout() && ::isatty(STDOUT_FILENO) != 0;
  const diff::Look look{static_cast<std::size_t>(options.context), to_terminal && use_colour(STDOUT_FILENO),
                        page_width(to_terminal), output.terminal().columns};
  switch (format) {
    case Format::table: output.write(options.side_by_side ? side_by_side(found, look) : unified(found, look)); break;
    case Format::md: output.write(as_markdown(found, look)); break;
    case Format::json: output.write(as_json(found, look)); break;
    case Format::csv: output.write(render(as_table(found, look), Format::csv)); break;
  }
  return kGood;
}

int show_all(const Options& options) {
  const Output output(options.output);
  const auto all = diff::rungs_of_this_build();
  const auto roots = roots_of(options);
  Report report;
  report.before = {"Lines of code that changed from the parent of each rung; raw with comments and names."};
  report.table.columns = diff::ladder_columns();
  report.table.spare = {"raw_added", "raw_removed", "lines", "moved"};
  for (const diff::OwnNames& names : all) {
    const diff::RungSource rung = diff::read_rung(names, roots);
    if (!rung.folder.empty()) report.after.push_back(fmt::format("Not counted: {}", rung.folder));
    if (rung.parent.empty() || rung.first_of_trail()) {
      report.table.rows.push_back(diff::ladder_row(rung, nullptr));
      continue;
    }
    const auto parent = diff::read_rung(diff::parent_of(rung, all), roots);
    const diff::RungDiff found = diff::compare_rungs(parent, rung, false);
    report.table.rows.push_back(diff::ladder_row(rung, &found));
  }
  output.write(report);
  return kGood;
}

}  // namespace

Action diff_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Show the code of a rung against the rung it was made from\n"
      "Compares a rung with its parent, which its head names (// From), or with OTHER. Shown is the lesson:\n"
      "comments and blank lines are left out, and so are differences in line breaks and in the rung's own\n"
      "names (namespace, kernel, shared array, id and title). Lines begin with - removed, + added, and\n"
      "~ moved: the same block at another place. --raw compares the files as they are. Without a rung, a\n"
      "table of all rungs with the number of lines that changed.");
  verb.footer(
      examples({"cairn diff simt/15", "cairn diff simt/15 simt/10 --side-by-side", "cairn diff simt/02 simt/01 -U 0",
                "cairn diff simt/15 simt/12 --format md", "cairn diff --all"}));
  verb.add_option("RUNG", options->rung, "An id, or a prefix only one id has; every rung if not given");
  verb.add_option("OTHER", options->other, "The rung to compare it with; its parent if not given");
  verb.add_flag("--all", options->all, "The table of all rungs, as without RUNG");
  verb.add_flag("--raw", options->raw, "The files as they are, comments and names included");
  verb.add_option("-U,--unified", options->context, "Unchanged lines around a change")
      ->transform(whole_number(0, 1'000'000))
      ->capture_default_str();
  verb.add_flag("--side-by-side", options->side_by_side, "In two columns, as wide as the terminal or $COLUMNS");
  verb.add_option("--source", options->source,
                  "The folder with Cairn's sources; the installed ones, or those this was built from, if not given");
  add_output_flags(verb, options->output);
  return [options, &verb] {
    if (verb.count("RUNG") > 0) {
      if (options->all)
        throw Error(kUsage, fmt::format("--all shows every rung; leave it out to see {}", options->rung));
      return show_one(*options);
    }
    for (const char* flag : {"--raw", "--side-by-side", "--unified"}) {
      if (verb.count(flag) > 0)
        throw Error(kUsage, fmt::format("{} is for one rung: cairn diff RUNG {}", flag, flag));
    }
    return show_all(*options);
  };
}

}  // namespace cairn::lab
