// cuBLAS as contenders, in the ways in which people call it, and one for comparison:
//
//   cublas/gemm_ex    cublasGemmEx, which chooses an algorithm by itself
//   cublas/lt_first   cuBLASLt with the first algorithm that its heuristic proposes
//   cublas/lt_tuned   cuBLASLt with the fastest of all that its heuristic proposes: the strongest, and ours to beat
//   cublas/lt_then    lt_tuned, then a kernel for an activation that cuBLASLt does not have (contender_activation.hpp)
//   cublas/lt_fma     f64 only: the fastest without tensor cores, to compare with kernels that use none either
//
// They share one open cuBLAS, which is opened when one of them is first prepared.
#pragma once

#include <filesystem>
#include <functional>

#include "lab/baseline_choices.hpp"
#include "lab/baseline_cublas.hpp"
#include "lab/baseline_search.hpp"
#include "lab/contender.hpp"
#include "lab/contender_activation.hpp"

namespace cairn::lab {

// Tests put something else in the place of each of these.
struct CublasSettings {
  std::function<Status(const std::shared_ptr<runtime::Machine>&, std::unique_ptr<Cublas>&)> open = open_cublas;
  std::filesystem::path choices = choices_file();
  int most_algorithms = 256;  // asked of the heuristic by lt_tuned; it never has as many
  Effort effort;
  bool keep = true;               // what a search finds, in `choices`
  ThenActivation::Find activate;  // none: lab/activate
};

void add_cublas(const std::shared_ptr<runtime::Machine>& machine, Contenders& out,
                const CublasSettings& settings = {});

}  // namespace cairn::lab
