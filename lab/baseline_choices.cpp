#include "lab/baseline_choices.hpp"

#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cairn::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kDigits = 16;  // of one of the eight words

// The contents of the file; nothing if there is no such file or it has another format.
std::optional<Json> read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();  // of a folder, nothing
  Json all = Json::parse(text.str(), nullptr, false);
  const bool ours = all.is_object() && all.contains("schema") && all["schema"] == kSchema &&
                    all.contains("choices") && all["choices"].is_object();
  if (!ours) return std::nullopt;
  return all;
}

std::string to_hex(const LtAlgorithm& algorithm) {
  std::string text;
  for (const std::uint64_t word : algorithm.opaque) text += fmt::format("{:016x}", word);
  return text;
}

bool from_hex(const std::string& text, LtAlgorithm& out) {
  if (text.size() != kDigits * out.opaque.size()) return false;
  if (text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  for (std::size_t i = 0; i < out.opaque.size(); ++i) {
    out.opaque[i] = std::stoull(text.substr(i * kDigits, kDigits), nullptr, 16);
  }
  return true;
}

Json to_json(const LtAlgorithm& algorithm, const LtAttributes& a) {
  return {{"algorithm", to_hex(algorithm)},
          {"workspace_bytes", algorithm.workspace_bytes},
          {"attributes",
           {{"id", a.id},
            {"tile", a.tile},
            {"stages", a.stages},
            {"split_k", a.split_k},
            {"reduction", a.reduction},
            {"swizzle", a.swizzle},
            {"custom", a.custom},
            {"inner_shape", a.inner_shape},
            {"cluster", a.cluster}}}};
}

// Writes to a temporary file and renames it, so that no reader, and no interrupted run, ever sees half a file.
bool write(const std::filesystem::path& file, const std::string& text) {
  std::error_code failed;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), failed);
  std::filesystem::path draft = file;
  draft += fmt::format(".{}.tmp", ::getpid());
  std::ofstream out(draft);
  out << text;
  out.close();
  if (out) {
    std::filesystem::rename(draft, file, failed);
    if (!failed) return true;
  }
  std::filesystem::remove(draft, failed);
  return false;
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path choices_file() {
  if (std::getenv("CAIRN_CHOICES") != nullptr) return variable("CAIRN_CHOICES");
  std::filesystem::path cache = variable("XDG_CACHE_HOME");
  if (cache.empty() && *variable("HOME") != '\0') cache = std::filesystem::path(variable("HOME")) / ".cache";
  return cache.empty() ? cache : cache / "cairn" / "cublas_choices.json";
}

std::string choice_text(const Problem& p) {
  std::string text = p.full();
  if (p.invariant == Invariant::none && !p.has_epilogue()) text.resize(text.find(" invariant="));
  return text;
}

std::optional<LtAlgorithm> find_choice(const std::filesystem::path& file, const ChoiceKey& key) {
  if (file.empty()) return std::nullopt;
  try {
    const auto all = read(file);
    if (!all) return std::nullopt;
    const Json& choice = all->at("choices").at(key.device).at(key.version).at(key.problem);
    LtAlgorithm algorithm;
    if (!from_hex(choice.at("algorithm").get<std::string>(), algorithm)) return std::nullopt;
    algorithm.workspace_bytes = choice.at("workspace_bytes").get<std::size_t>();
    return algorithm;
  } catch (const std::exception&) {  // no such key, or another type than ours
    return std::nullopt;
  }
}

bool keep_choice(const std::filesystem::path& file, const ChoiceKey& key, const LtAlgorithm& algorithm,
                 const LtAttributes& attributes) {
  if (file.empty()) return false;
  try {
    std::error_code unknown;
    const auto there = std::filesystem::status(file, unknown).type();
    auto all = read(file);
    if (!all && there != std::filesystem::file_type::not_found) return false;  // another file of this name: keep it
    if (!all) all = Json{{"schema", kSchema}, {"choices", Json::object()}};
    (*all)["choices"][key.device][key.version][key.problem] = to_json(algorithm, attributes);
    return write(file, all->dump(1) + "\n");
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace cairn::lab
