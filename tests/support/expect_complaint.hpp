// What a user sees of a mistake.
#pragma once

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {

// Nothing on stdout, one line on stderr that begins "cairn: " and holds `hint`.
inline void expect_complaint(const std::string& arguments, int code, const std::string& hint) {
  const Ran ran = run_cairn(arguments);
  EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_TRUE(ran.err.starts_with("cairn: ")) << arguments << "\n" << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << "\n" << ran.err;
  EXPECT_NE(ran.err.find(hint), std::string::npos) << arguments << "\n" << ran.err;
}

}  // namespace cairn::testing
