#include "lab/command.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cairn/cairn.hpp"
#include "lab/completion/answer.hpp"
#include "lab/completion/value_names.hpp"
#include "lab/escape.hpp"
#include "lab/exit.hpp"
#include "lab/help.hpp"
#include "lab/invocation.hpp"
#include "lab/nearest.hpp"
#include "lab/options.hpp"
#include "lab/share.hpp"
#include "lab/signals.hpp"
#include "lab/terminal.hpp"
#include "lab/verbs/verbs.hpp"

namespace cairn::lab {
namespace {

struct Verb {
  const char* name;
  Action (*add)(CLI::App&);
};

constexpr Verb kVerbs[] = {
    {"climb", climb_verb},   {"list", list_verb},
    {"info", info_verb},     {"verify", verify_verb},
    {"bench", bench_verb},   {"profile", profile_verb},
    {"trace", trace_verb},   {"run", run_verb},
    {"report", report_verb}, {"compare", compare_verb},
    {"plan", plan_verb},     {"diff", diff_verb},
    {"lab", lab_verb},       {"completion", completion_verb},
};

int complain(Exit code, const std::string& message) {
  fmt::print(stderr, "cairn: {}\n", one_line(message));
  return code;
}

// CLI11 only says that the word was not expected; this names the verbs most like it.
int complain_about_arguments(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    return complain(kUsage, fmt::format("{} (see cairn {} --help)", error.what(), chosen.front()->get_name()));
  }
  if (first.starts_with("-")) return complain(kUsage, fmt::format("{} (see cairn --help)", error.what()));
  std::vector<std::string> verbs;
  for (const Verb& verb : kVerbs) verbs.emplace_back(verb.name);
  return complain(kUsage,
                  fmt::format("there is no verb '{}'; {} (see cairn --help)", first, nearest_text(first, verbs)));
}

int dispatch(int argc, const char* const* argv) {
  CLI::App app("Cairn multiplies matrices, C = alpha·op(A)·op(B) + beta·C, and shows how.", "cairn");
  app.set_version_flag("--version", fmt::format("cairn {}", version()), "Print the version and exit");
  app.footer(examples({"cairn climb", "cairn verify --fuzz 5", "cairn bench --help"}));
  app.require_subcommand(0, 1);
  auto format = std::make_shared<HelpFormat>();
  format->label("Subcommands", "Verbs");
  format->label("SUBCOMMAND", "VERB");
  format->columns(terminal_columns(STDOUT_FILENO));
  app.formatter(format);

  Action action;
  for (const Verb& verb : kVerbs) {
    CLI::App* subcommand = app.add_subcommand(verb.name);
    subcommand->callback([&action, run = verb.add(*subcommand)] { action = run; });
  }

  name_values(app);
  // Not for people, hence no verbs: what completion scripts ask, and what a build installs.
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "__complete") {
    Output({}).write(complete(app, {argv + 2, argv + argc}));
    return kGood;
  }
  if (first == "__share" && argc == 3) {
    write_share(app, argv[2]);
    return kGood;
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);  // --help, --version
    return complain_about_arguments(app, error, argc > 1 ? argv[1] : "");
  }
  if (!action) {
    format->columns(terminal_columns(STDERR_FILENO));
    std::cerr << app.help();
    return kUsage;
  }
  return action();
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  set_invocation(argc, argv);
  try {
    handle_signals();
    return dispatch(argc, argv);
  } catch (const Error& error) {
    return complain(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return complain(kLacking, "out of memory; choose a smaller --shape");
  } catch (const std::exception& error) {
    return complain(kFailed, error.what());
  }
}

}  // namespace cairn::lab
