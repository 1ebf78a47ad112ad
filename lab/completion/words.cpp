#include "lab/completion/words.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "kernels/ladder.hpp"
#include "lab/baseline_cublas.hpp"
#include "lab/baselines.hpp"
#include "lab/contender_cublas.hpp"
#include "lab/drawn.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/suites.hpp"
#include "src/dispatch/check.hpp"

namespace cairn::lab {
namespace {

Ladder rungs() { return emulated_ladder().empty() ? cuda_ladder() : emulated_ladder(); }

// "simt/04@": the tiles of the only rung that begins so, behind what was typed.
Words tile_words(const std::string& typed) {
  const std::string before = typed.substr(0, typed.find('@'));
  const Rung* found = nullptr;
  for (const Rung* rung : rungs()) {
    if (!rung->id.starts_with(before)) continue;
    if (found != nullptr) return {};  // no id is the beginning of another
    found = rung;
  }
  Words words;
  if (found == nullptr) return words;
  for (int tile = 0; tile < found->tiles; ++tile)
    words.push_back({fmt::format("{}@{}", before, tile), found->tile_name(tile).text});
  return words;
}

}  // namespace

Words rung_words(const std::string& typed, bool tiles) {
  if (tiles && typed.find('@') != std::string::npos) return tile_words(typed);
  Words words;
  for (const Rung* rung : rungs()) words.push_back({std::string(rung->id), std::string(rung->title)});
  return words;
}

Words contender_words(const std::string& typed, bool baselines) {
  if (typed.find('@') != std::string::npos) return tile_words(typed);
  Words words;
  constexpr int kCpu = -1;
  Contenders all;
  expect(contenders(kCpu, all, {}));
  const auto machine = all.at(0)->machine();
  if (baselines) add_baselines(machine, all);
  if (baselines && built_with_cublas())
    add_cublas(machine, all);  // for their names: none is opened before it is used
  for (const auto& one : all) words.push_back({std::string(one->id()), std::string(one->title())});
  for (Word& word : rung_words(typed, false)) words.push_back(std::move(word));
  return words;
}

Words type_words(const std::string& typed) {
  constexpr const char* kIn[] = {"f64", "f32", "f16", "bf16", "e4m3", "tf32", "split", "e4m3fast"};
  constexpr const char* kOut[] = {"f64", "f32", "f16", "bf16", "e4m3"};
  Words words;
  if (typed.find(':') == std::string::npos) {
    for (const char* in : kIn) words.push_back({in});
    return words;
  }
  for (const char* in : kIn) {
    for (const char* out : kOut) {
      const std::string type = fmt::format("{}:{}", in, out);
      Problem problem;
      if (parse(type + " nn 16x16x16", problem).ok() && dispatch::check(problem).ok()) words.push_back({type});
    }
  }
  return words;
}

Words device_words() {
  Words words = {{"auto", "a GPU if there is one"}, {"cpu"}, {"emu", "the emulated GPU"}, {"gpu", "the first GPU"}};
  // The driver's files tell how many there are; asking the driver would take a tenth of a second.
  std::error_code ignored;
  for (int number = 0; std::filesystem::exists(fmt::format("/dev/nvidia{}", number), ignored); ++number)
    words.push_back({fmt::format("gpu:{}", number)});
  return words;
}

Words suite_words() {
  Words words;
  for (const BuiltInSuite& suite : built_in_suites()) words.push_back({std::string(suite.name)});
  for (const std::string& name : drawn_names()) words.push_back({name, "shapes by lot"});
  return words;
}

Words experiment_words() {
  Words words;
  for (const Experiment& experiment : experiments())
    words.push_back({std::string(experiment.name), std::string(experiment.question)});
  return words;
}

}  // namespace cairn::lab
