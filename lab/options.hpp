// The flags that mean the same in every verb, and what they turn into.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cairn/types.hpp"
#include "lab/contender.hpp"
#include "lab/leading.hpp"
#include "lab/output.hpp"
#include "lab/scalars.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab {

struct ProblemOptions {
  std::vector<std::string> shape, layout, type, order;
  std::string ld = {}, lda = {}, ldb = {}, ldc = {};  // as given; --ld is for those that have none of their own
  std::optional<std::int64_t> batch = {}, groups = {};
  std::string invariant = {};  // as given
  std::vector<std::string> epilogue = {}, scales = {};
  std::string suite = {};  // shapes instead of --shape, with the layouts, batches and leading dimensions it has
  std::optional<std::int64_t> count = {};          // shapes of a drawn suite
  std::uint64_t seed = 1;                          // which draws them, and what else a verb draws
  bool shape_given = false, layout_given = false;  // on the command line; else they are a verb's defaults

  // Every combination, with products end to end; what was not given comes from the defaults.
  std::vector<Problem> problems() const;
  // The options of each line of the suite, or just these if there is none. Throws Error where a flag contradicts it.
  std::vector<ProblemOptions> lines() const;
  // The class of a drawn suite.
  std::optional<std::string> drawn() const;
  LeadingDimensions leading() const;
  std::optional<Invariant> invariant_asked() const;
};

// The values of each flag; a verb passes its defaults, and an empty list means "all" to that verb.
void add_problem_flags(CLI::App& verb, ProblemOptions& options);
void add_suite_flags(CLI::App& verb, ProblemOptions& options);  // --suite and --count, which need a seed
void add_scalar_flags(CLI::App& verb, Scalars& scalars);
void add_scalar_flags(CLI::App& verb, std::optional<double>& alpha,
                      std::optional<double>& beta);  // drawn if not given
void add_device_flag(CLI::App& verb, std::string& device);
void add_seed_flag(CLI::App& verb, std::uint64_t& seed);      // of data,
void add_seed_flag(CLI::App& verb, ProblemOptions& options);  // and of the shapes of a drawn suite
void add_output_flags(CLI::App& verb, OutputOptions& options);
void add_contender_ids(CLI::App& verb, std::vector<std::string>& ids);

// "cpu" is -1, "emu" -2, "gpu" 0, "gpu:2" 2. Throws for anything else.
int parse_device(const std::string& text);
// The same for verbs that look at one device: there "auto" is the first GPU, or the CPU where there is none.
int one_device(const std::string& text);

// The contenders of --device, narrowed to `ids`. "auto" means those of the CPU and of the ladder: on the GPU if there
// is one, else emulated. Throws if there are none.
Contenders open_contenders(const std::string& device, const std::vector<std::string>& ids);

// The machines of a list of contenders, each described once.
std::string describe_machines(const Contenders& list);

// The inverse of parse_device: what --device calls a device.
std::string device_name(const runtime::Facts& facts);

// "Neoverse-N1, 2 threads, OpenBLAS 0.3.21": what a result was obtained on.
std::string describe(const runtime::Facts& facts);

// "Examples:" and the lines, as every verb's --help ends. The command's test runs each of them.
std::string examples(const std::vector<std::string>& lines);

// Throws if alpha or beta is infinite in the type in which a problem is accumulated.
void check_scalars(const Scalars& scalars, const std::vector<Problem>& problems);

// Throws unless so many sets of A, B and C fit into the device's memory.
void check_memory(const Problem& problem, std::int64_t memory_bytes, int sets = 1);

}  // namespace cairn::lab
