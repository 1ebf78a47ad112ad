// Any text: parsing must not crash, and what parses must print and parse back to itself, in both forms.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cairn/types.hpp"

namespace {

void require(bool holds, const char* what, const cairn::Problem& p) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, p.full().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cairn::Problem p;
  const cairn::Problem untouched = p;
  const cairn::Status s = cairn::parse(text, p);
  if (!s.ok()) {
    require(p == untouched, "a refused text changed the problem", p);
    require(!s.message().empty(), "a refusal without a message", p);
    return 0;
  }
  cairn::Problem back;
  require(cairn::parse(p.full(), back).ok() && back == p, "the full form does not parse back", p);
  require(cairn::parse(p.brief(), back).ok(), "the short form does not parse", p);
  if (p.batch == 1) back.stride_a = p.stride_a, back.stride_b = p.stride_b, back.stride_c = p.stride_c;
  require(back == p, "the short form parses to another problem", p);
  return 0;
}
