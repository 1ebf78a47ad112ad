#include "lab/no_gpu.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/contender_cublas.hpp"
#include "lab/data_folder.hpp"
#include "lab/exit.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab {
namespace {

constexpr int kEmulator = -2;

// The published record with the times of a rung.
std::string record_of(const std::string& id) {
  for (const char* family : {"tensor", "hopper"}) {
    if (id.starts_with(family)) return fmt::format("results/h200/{}.json", family);
  }
  return id.starts_with("probe") ? "results/h200/probes.json" : "results/h200/ladder.json";
}

bool is_rung(const std::string& id) {
  return !id.starts_with("c") && id.find('/') != std::string::npos;  // cairn/gemm, cpu/…, cublas/… are none
}

}  // namespace

bool has_gpu() {
  return std::ranges::any_of(runtime::devices(), [](const auto& facts) { return facts.kind == runtime::Kind::gpu; });
}

Contenders named_on_gpu(const std::vector<std::string>& patterns) {
  Contenders all;
  if (!contenders(kEmulator, all, patterns).ok()) return {};
  add_cublas(all.at(0)->machine(), all);
  return all;
}

void check_ids_for_gpu(const std::vector<std::string>& patterns) {
  if (Contenders all = named_on_gpu(patterns); !all.empty()) expect(select(patterns, all));
}

std::string times_need_gpu(const std::vector<std::string>& patterns) {
  const auto found = std::ranges::find_if(patterns, is_rung);
  const std::string id = found == patterns.end() ? "simt/04" : *found;
  const std::string name = record_of(id);
  const auto file = project_file(name);
  const bool quote = id.find_first_of("*?[") != std::string::npos;
  return fmt::format(
      "rungs have times only on a GPU{}; cairn trace {} counts their memory accesses, cairn climb runs each of them "
      "once, cairn report {} shows recorded times",
      has_gpu() ? "" : ", and there is none here", quote ? "'" + id + "'" : id, file ? shown_path(*file) : name);
}

}  // namespace cairn::lab
