#include "lab/program/driver.hpp"

int main(int argc, char** argv) { return cairn::lab::program::run_nvcc({argv + (argc > 0 ? 1 : 0), argv + argc}); }
