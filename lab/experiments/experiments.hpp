// Experiments: questions about matrix multiplication, answered by running something. An explicit list; a new
// experiment is a file here and a line in experiments.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/record/lab_record.hpp"
#include "lab/shapes.hpp"
#include "lab/table.hpp"

namespace cairn::lab {

struct Findings {
  Report report;                         // the text, and a table of what was claimed and found
  bool holds = true;                     // false if any claim turned out to be wrong
  std::vector<std::string> conclusions;  // sentences about the table
  std::vector<std::string> notes;        // what was missing: a profiler, a disassembler

  Report in_full() const;  // the report with both below its table
};

// The parameters of an experiment.
struct Conditions {
  int device = 0;              // the number of a GPU, which is there, or of the emulator
  std::optional<Shape> shape;  // instead of its own
  std::uint64_t seed = 1;
  std::optional<std::string> pattern;  // of a warp's addresses, to one that takes such (pattern.hpp) …
  unsigned bytes = 4;                  // … and how many bytes a lane takes there
  // Called with the current activity and the part done, 0 … 1; returns false to stop.
  std::function<bool(const std::string& what, double share)> progress;

  // The same as a call that throws Error(kInterrupted).
  void go_on(const std::string& what, double share) const;
};

struct Experiment {
  std::string_view name;
  std::string_view question;
  bool measures = false;  // times on a GPU; one that neither measures nor multiplies takes no --shape
  Findings (*run)(const Conditions& conditions) = nullptr;
  bool takes_pattern = false;
  bool multiplies = false;  // on a GPU where there is one, else on the emulator
  // The findings of a record, by the code that has those of a fresh run; null: its table alone is shown.
  Findings (*recall)(const record::LabRecord& record) = nullptr;
  // What its page shows of a record, where that is generated: an SVG, and Markdown that belongs between the markers
  // <!-- findings:begin --> and <!-- findings:end -->.
  std::string (*picture)(const record::LabRecord& record) = nullptr;
  std::string (*page_table)(const record::LabRecord& record) = nullptr;

  // Where its record and its page are, below the project's folder: "results/h200/tiny_code.json".
  std::string record_file() const;
  std::string page() const;
};

std::span<const Experiment> experiments();

// The one of that name; null if there is none.
const Experiment* find_experiment(std::string_view name);

Findings banks_experiment(const Conditions& conditions);
Findings double_buffer_experiment(const Conditions& conditions);
Findings layout_experiment(const Conditions& conditions);
Findings precision_experiment(const Conditions& conditions);
Findings timing_experiment(const Conditions& conditions);
Findings tiny_code_experiment(const Conditions& conditions);
Findings transpose_experiment(const Conditions& conditions);
Findings vectorize_experiment(const Conditions& conditions);

Findings recorded_double_buffer(const record::LabRecord& record);
Findings recorded_precision(const record::LabRecord& record);
std::string precision_picture(const record::LabRecord& record);
std::string precision_table(const record::LabRecord& record);
Findings recorded_timing(const record::LabRecord& record);
Findings recorded_tiny_code(const record::LabRecord& record);
Findings recorded_transpose(const record::LabRecord& record);
Findings recorded_vectorize(const record::LabRecord& record);

}  // namespace cairn::lab
