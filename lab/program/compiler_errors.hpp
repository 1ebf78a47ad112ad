// What g++ complains of, made short, with files named as the user names them.
#pragma once

#include <string>

namespace cairn::lab::program {

// The name of the user file's folder in the program's line tables.
inline constexpr const char* kUsersFolder = "/cairn_users_folder/";

// The text with files in that folder named as the user named them.
std::string named_by_user(std::string text, const std::string& users_file);

// The first error in what g++ wrote, as "file:line: text" and how many more there are; the place is where the user's
// code includes what is refused. Empty if there is none.
std::string first_error(const std::string& output, const std::string& users_file);

}  // namespace cairn::lab::program
