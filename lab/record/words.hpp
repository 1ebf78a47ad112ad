// The words of a record that both its writer and its reader use.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lab/record/record.hpp"

namespace cairn::lab::record {

inline constexpr std::string_view kKinds[] = {"bench", "host", "profile"};
inline constexpr std::string_view kWorks[] = {"product", "move", "probe"};

// The keys of a row, in the order of a file's columns.
inline constexpr std::string_view kRowKeys[] = {"id",
                                                "problem",
                                                "alpha",
                                                "beta",
                                                "work",
                                                "is_baseline",
                                                "refused",
                                                "verified",
                                                "details",
                                                "via",
                                                "runs",
                                                "sets",
                                                "host_us",
                                                "settled",
                                                "first",
                                                "vitals",
                                                "sample_count",
                                                "median_ms",
                                                "median_low_ms",
                                                "median_high_ms",
                                                "min_ms",
                                                "spread_percent",
                                                "outliers",
                                                "tflops",
                                                "gbytes",
                                                "baseline_id",
                                                "ratio",
                                                "ratio_low",
                                                "ratio_high",
                                                "percent_of_ceiling",
                                                "percent_of_datasheet",
                                                "counters",
                                                "samples_ms"};

std::string_view word(runtime::Kind kind);  // "cpu", "gpu", "emu"
std::optional<runtime::Kind> kind_named(std::string_view word);

// Throws Error if the row's text is none.
Problem problem_of(const Row& row);

// The problem in its short form, with alpha and beta where they are not 1 and 0: for people.
std::string problem_text(const Row& row);

// The tensor-core instructions, and what a record has of each.
struct TensorInstruction {
  std::string_view name;   // "mma.sync"
  std::string_view probe;  // "probe/mma_peak" measures its peak
  const char* key;         // "mma_tflops", the key of its peaks
  std::map<std::string, double> Ceilings::*tflops;
};
inline constexpr TensorInstruction kTensorInstructions[] = {
    {"mma.sync", "probe/mma_peak", "mma_tflops", &Ceilings::mma_tflops},
    {"wgmma", "probe/wgmma_peak", "wgmma_tflops", &Ceilings::wgmma_tflops}};

// The type in which tensor cores multiply a problem's factors. Empty where they do not, or where one product is
// computed as several (Compute::split).
inline constexpr std::string_view kTensorTypes[] = {"f16", "bf16", "tf32", "e4m3", "f64"};
std::string tensor_type(const Problem& problem);

}  // namespace cairn::lab::record
