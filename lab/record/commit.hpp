// The commit this was built from. Its definition is written by cmake/commit.cmake with every build.
#pragma once

namespace cairn::lab::record {

// 40 hex digits; "+changes" follows where the tree had some; "unknown" where it came without its history.
const char* commit();

}  // namespace cairn::lab::record
