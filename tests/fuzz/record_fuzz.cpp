// Any text: reading it as a record must not crash, and a record that was read must be written and read back as the
// same text, with its samples and without them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lab/exit.hpp"
#include "lab/record/record.hpp"

namespace {

namespace record = cairn::lab::record;

void expect_stable(const record::Record& one) {
  const std::string text = record::to_json(one);
  try {
    if (record::to_json(record::from_json(text, "written")) == text) return;
    std::fprintf(stderr, "not the same text again: %s\n", text.c_str());
  } catch (const cairn::lab::Error& error) {
    std::fprintf(stderr, "what was written is refused: %s\n%s\n", error.what(), text.c_str());
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  record::Record read;
  try {
    read = record::from_json(std::string(reinterpret_cast<const char*>(data), size), "x");
  } catch (const cairn::lab::Error&) {
    return 0;
  }
  expect_stable(read);
  expect_stable(record::without_samples(read));
  return 0;
}
