// The experiment "tiny-code": one kernel in 32 spellings. A public notebook found 13.5 or 15.5 TFLOP/s on an A100 for
// two spellings of one loop and of the thread's number, and could not say why; what else differed is a factor here.
#include <algorithm>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "lab/experiments/factorial.hpp"
#include "lab/experiments/study.hpp"
#include "lab/measure/statistics.hpp"

namespace cairn::lab {
namespace {

// In the order of the bits of a variant's number; kernels/tiny_code.cu has the code.
const std::vector<Factor> kFactors = {{"loop", "i = off", "s[i + off]"},
                                      {"tid", "x", "x + y*dim"},
                                      {"bounds", "none", "256"},
                                      {"grid", "x walks N", "x walks M"},
                                      {"bk", "8", "32"}};
constexpr std::size_t kGrid = 3, kBk = 4;

const std::vector<Named> kFacts = {
    {"registers", "registers a thread"},
    {"blocks_an_sm", "blocks an SM"},
    {"local_bytes", "spilled bytes"},
    {"loop_instructions", "the length of the loop"},
    {"loop_loops", "loops left inside of it"},
    {"loop_integer", "integer instructions in it"},
    {"loop_predicated", "guarded instructions in it"},
    {"loop_ldg_4", "global loads in it"},
    {"loop_lds_4", "4-byte shared loads in it"},
    {"loop_lds_16", "16-byte shared loads in it"},
};

Factorial design(const Study& study, const Problem& problem) {
  Factorial out;
  out.factors = kFactors;
  const std::size_t runs = std::size_t{1} << kFactors.size();
  for (std::size_t run = 0; run < runs; ++run) {
    const Studied* one = study.find(run == 0 ? "lab/tiny_code" : fmt::format("lab/tiny_code@{}", run), problem);
    out.known.push_back(one != nullptr);
    out.times.push_back(one == nullptr ? 1 : measure::median(one->row.samples_ms));
    out.facts.push_back(one == nullptr ? profile::Values{} : one->facts);
  }
  return out;
}

Findings concluded(const Study& study) {
  const Factorial found = design(study, study.problems().at(0));
  Findings out = study.findings(kernel_columns(), conclude(found, kFacts, {kGrid, kBk}));

  // The small table comes between the large one and the sentences.
  std::vector<std::string> lines = {"Time at the second level over that at the first, the mean over all else:"};
  std::istringstream small(render(effect_table(found, 4), Format::table));
  for (std::string line; std::getline(small, line);) lines.push_back(line);
  out.report.after.insert(out.report.after.begin(), lines.begin(), lines.end());
  return out;
}

}  // namespace

Findings tiny_code_experiment(const Conditions& conditions) {
  // simt/09 has the same tile and is timed with them.
  Study study({.rungs = {"simt/09@*"}, .card = "lab/tiny_code", .shapes = {{2048, 2048, 2048}}, .counters = {}},
              conditions);
  study.run(conditions);
  return concluded(study);
}

Findings recorded_tiny_code(const record::LabRecord& record) { return concluded(Study(record)); }

}  // namespace cairn::lab
