// Parses machine code as cuobjdump prints it: the loops of a kernel, and the instructions in them. It needs no
// GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab::profile {

struct Instruction {
  std::int64_t address = 0;
  std::string opcode;        // with its modifiers: "LDG.E.128"
  std::string guard;         // "@!P0"; empty where it is not predicated
  std::int64_t target = -1;  // of a branch
};

struct Function {
  std::string name;  // mangled
  int arch = 0;      // 90 for sm_90a
  std::vector<Instruction> code;
};

// Of `cuobjdump -sass`, every function in order.
std::vector<Function> read_sass(std::string_view text);

// Of several builds of one function, the newest that a GPU of `arch` runs; null where there is none.
const Function* find_function(const std::vector<Function>& all, std::string_view name, int arch);

// Counts of instructions by kind. Widths are 4, 8 and 16 bytes per lane.
struct Mix {
  int instructions = 0;
  int ffma = 0;
  int lds[3] = {}, sts[3] = {};     // shared memory
  int ldg[3] = {}, ldgsts[3] = {};  // global memory to registers, and to shared memory directly
  int local = 0;                    // LDL, STL: spills and stack
  int integer = 0;                  // IMAD, IADD and LEA: addresses and counters
  int barriers = 0;
  int predicated = 0;  // behind a guard
  int never = 0;       // behind one that is always false
  int loops = 0;       // branches back inside of it
};

// The longest loop: from the target of a branch back to the branch. All zeros where a function has no loop.
Mix longest_loop(const Function& function);

// By the names that tables and records have: loop_instructions, loop_ffma, loop_lds_4 …
std::map<std::string, double> facts(const Mix& loop);

// $CAIRN_CUOBJDUMP, PATH, or the newest toolkit's; throws Error(kLacking) where there is none.
std::string find_cuobjdump();

// The machine code of these functions (mangled names) in a program or shared object.
std::vector<Function> disassemble(const std::string& cuobjdump, const std::string& file,
                                  const std::vector<std::string>& names, const std::function<bool()>& tick = {});

}  // namespace cairn::lab::profile
