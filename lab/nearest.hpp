// For a name that does not exist: those that exist and are spelt most like it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab {

// At most `count`, the nearest first: those with the fewest letters to insert, drop, change or swap. Of a longer name
// a beginning may be meant, as ids are given on the command line.
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& names,
                                 std::size_t count = 3);

// "the nearest are a, b, c", for the end of a message.
std::string nearest_text(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace cairn::lab
