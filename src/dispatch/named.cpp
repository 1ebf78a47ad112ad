#include "src/dispatch/named.hpp"

#include <charconv>
#include <string>

namespace cairn::dispatch {
namespace {

bool multiplies(const Rung& rung) { return rung.kind == RungKind::gemm; }

Status invalid(std::string_view name, const std::string& why) {
  return {Code::invalid_argument, "rung is '" + std::string(name) + "'; " + why};
}

}  // namespace

Status find_rung(Ladder ladder, std::string_view name, NamedRung& out) {
  const std::size_t end = name.find('@');
  const std::string_view id = name.substr(0, end);
  NamedRung found;
  const Rung* other = nullptr;  // that the id may mean as well
  for (const Rung* rung : ladder) {
    if (!multiplies(*rung) || id.empty() || !rung->id.starts_with(id)) continue;
    (found.rung == nullptr ? found.rung : other) = rung;
  }
  if (found.rung == nullptr) return invalid(name, "no rung that multiplies has an id that begins so");
  if (other != nullptr) {
    return invalid(name,
                   "it could be " + std::string(found.rung->id) + " or " + std::string(other->id) + ": write more");
  }
  if (end != std::string_view::npos) {
    const std::string_view tile = name.substr(end + 1);
    const auto [rest, error] = std::from_chars(tile.data(), tile.data() + tile.size(), found.tile);
    if (error != std::errc{} || rest != tile.data() + tile.size() || found.tile < 0 ||
        found.tile >= found.rung->tiles)
      return invalid(name, "its tiles are 0 to " + std::to_string(found.rung->tiles - 1));
  }
  out = found;
  return {};
}

std::string_view rung_id(std::size_t index) {
  const Ladder ladder = emulated_ladder().empty() ? cuda_ladder() : emulated_ladder();
  for (const Rung* rung : ladder)
    if (multiplies(*rung) && index-- == 0) return rung->id;
  return "";
}

}  // namespace cairn::dispatch
