// What a shell can complete: words with what they mean. Nothing here opens a GPU, since a Tab key does not wait.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab {

struct Word {
  std::string text;
  std::string about = {};
};
using Words = std::vector<Word>;

// The ids of contenders; after an @, the tiles of the rung before it. Baselines are for verbs that compare.
Words contender_words(const std::string& typed, bool baselines);

// The ids of rungs; with `tiles`, after an @ their tiles.
Words rung_words(const std::string& typed, bool tiles);

// f32, bf16 …; after a colon also in:out, those that can be multiplied.
Words type_words(const std::string& typed);

Words device_words();
Words suite_words();
Words experiment_words();

}  // namespace cairn::lab
