// The programs of tests/lab/programs, and the lines in them that a report must name.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {

inline const std::string kFolder = std::string(CAIRN_SOURCE_DIR) + "/tests/lab/programs";

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline Ran in_folder(const std::string& command) { return run_shell("cd '" + kFolder + "' && " + command); }

// The line of a file that ends in "// <- word".
inline std::string place(const std::string& word, const std::string& name) {
  std::ifstream file(kFolder + "/" + name);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// <- " + word)) return name + ":" + std::to_string(number);
  }
  ADD_FAILURE() << "no line is marked " << word;
  return "";
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_cairn("trace simt/02 --shape 32").code == 77) GTEST_SKIP() << "this build has no traced emulator";
  }
};

// The program Own::kName.cu, compiled once for all tests of the class.
template <class Own> class CompiledProgram : public Program {
 protected:
  static void SetUpTestSuite() {
    program_ = (scratch() / Own::kName).string();
    made_ = in_folder("cairn-nvcc " + std::string(Own::kName) + ".cu -o " + program_);
  }
  void SetUp() override {
    Program::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(made_.code, 0) << made_.err;
  }

  static inline std::string program_;
  static inline Ran made_;
};

}  // namespace cairn::testing
