// cairn-nvcc: takes what people give nvcc, and makes a program that runs its kernels on the emulator.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab::program {

// Compiles and links as the arguments say. Returns the exit code; errors are written to stderr.
int run_nvcc(const std::vector<std::string>& arguments);

}  // namespace cairn::lab::program
