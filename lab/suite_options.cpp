// --suite and --count: the problems of a suite, and which flags may stand beside it.
#include <utility>

#include <fmt/format.h>

#include "lab/drawn.hpp"
#include "lab/exit.hpp"
#include "lab/numbers.hpp"
#include "lab/options.hpp"
#include "lab/suites.hpp"

namespace cairn::lab {
namespace {

// What a line says is its own: the same said by a flag is a contradiction in a suite that somebody wrote. What was only
// drawn, a flag replaces.
class Line {
 public:
  Line(const ProblemOptions& options, const SuiteLine& line, bool drawn)
      : options_(options), drawn_(drawn), one_(options) {
    one_.suite.clear(), one_.count.reset();
    one_.shape = {fmt::format("{}x{}x{}", line.shape.m, line.shape.n, line.shape.k)};
    if (!line.layout.empty() && free("--layout", options.layout_given, "layout " + line.layout))
      one_.layout = {line.layout};
    if (line.batch && free("--batch", options.batch.has_value(), fmt::format("batch={}", *line.batch)))
      one_.batch = line.batch;
    take_leading("lda", &ProblemOptions::lda, line.lda);
    take_leading("ldb", &ProblemOptions::ldb, line.ldb);
    take_leading("ldc", &ProblemOptions::ldc, line.ldc);
  }
  ProblemOptions options() && { return std::move(one_); }

 private:
  // Whether the line decides. Throws if a flag says it too and may not.
  bool free(const std::string& flag, bool given, const std::string& said) const {
    if (!given) return true;
    if (drawn_) return false;
    throw Error(kUsage, fmt::format("--suite {} has its own {} for {}; leave out {}", options_.suite, said,
                                    one_.shape[0], flag));
  }
  void take_leading(const std::string& name, std::string ProblemOptions::*ld, const std::string& said) {
    if (said.empty()) return;
    const bool own = !(options_.*ld).empty();
    if (free(own ? "--" + name : "--ld", own || !options_.ld.empty(), fmt::format("{}={}", name, said)))
      one_.*ld = said;
  }

  const ProblemOptions& options_;
  bool drawn_;
  ProblemOptions one_;
};

}  // namespace

std::optional<std::string> ProblemOptions::drawn() const { return drawn_class(suite); }

std::vector<ProblemOptions> ProblemOptions::lines() const {
  const auto of_class = drawn();
  if (count && !of_class)
    throw Error(kUsage, "--count is the number of shapes of a drawn suite; add --suite drawn:CLASS, such as " +
                            drawn_names().front());
  if (suite.empty()) return {*this};
  if (shape_given) throw Error(kUsage, fmt::format("--suite {} has its own shapes; leave out it or --shape", suite));
  std::vector<ProblemOptions> all;
  for (const SuiteLine& line :
       of_class ? draw_suite(*of_class, seed, count.value_or(kDrawnCount)) : read_suite(suite))
    all.push_back(Line(*this, line, of_class.has_value()).options());
  return all;
}

void add_suite_flags(CLI::App& verb, ProblemOptions& options) {
  verb.add_option("--suite", options.suite,
                  fmt::format("A list of shapes instead of --shape: {}, a file (a line: M N K layout), or shapes "
                              "by lot: drawn:CLASS with CLASS {}",
                              suite_names(), fmt::join(kDrawnClasses, ", ")));
  verb.add_option("--count", options.count, fmt::format("Shapes of a drawn suite; {} if not given", kDrawnCount))
      ->transform(whole_number(1, kMostDrawn));
}

}  // namespace cairn::lab
