// What a search for the fastest algorithm found, kept in a file so that later runs need not search again:
//
//   {"schema": 1, "choices": {device: {cuBLAS version: {Problem::full(): {"algorithm": 128 hex digits, …}}}}}
//
// The file is a convenience and never a reason to fail. One that cannot be read counts as empty, one that is not
// understood is left exactly as it is, and one that cannot be written is not written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lab/baseline_cublas.hpp"

namespace cairn::lab {

struct ChoiceKey {
  std::string device;   // "NVIDIA H200"
  std::string version;  // of cuBLAS
  std::string problem;  // Problem::full()
};

// $CAIRN_CHOICES (set but empty: no file), else cairn/cublas_choices.json in $XDG_CACHE_HOME or ~/.cache. Empty where
// there is none of these.
std::filesystem::path choices_file();

// A problem as files of choices name it: without the fields that came after the first such file, where it does not use
// them.
std::string choice_text(const Problem& problem);

std::optional<LtAlgorithm> find_choice(const std::filesystem::path& file, const ChoiceKey& key);

// Adds to what the file has, or replaces what it has for the key; the attributes are for human readers. False if
// nothing was kept.
bool keep_choice(const std::filesystem::path& file, const ChoiceKey& key, const LtAlgorithm& algorithm,
                 const LtAttributes& attributes);

}  // namespace cairn::lab
