#include "lab/command.hpp"

int main(int argc, char** argv) { return cairn::lab::run_command(argc, argv); }
