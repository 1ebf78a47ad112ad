// The verbs, one file each. A verb adds its flags to the subcommand it is given and returns what to do once they
// have been read; that returns the exit code, or throws Error.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace cairn::lab {

using Action = std::function<int()>;

Action climb_verb(CLI::App& verb);
Action list_verb(CLI::App& verb);
Action info_verb(CLI::App& verb);
Action verify_verb(CLI::App& verb);
Action bench_verb(CLI::App& verb);
Action report_verb(CLI::App& verb);
Action compare_verb(CLI::App& verb);
Action plan_verb(CLI::App& verb);
Action profile_verb(CLI::App& verb);
Action trace_verb(CLI::App& verb);
Action run_verb(CLI::App& verb);
Action diff_verb(CLI::App& verb);
Action lab_verb(CLI::App& verb);
Action completion_verb(CLI::App& verb);

}  // namespace cairn::lab
