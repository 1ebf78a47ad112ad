// The machines that runtime.cpp lists: for each, a function that gives its facts and one that opens it. A build
// without CUDA or without the emulator leaves theirs out.
#pragma once

#include <memory>
#include <vector>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

Facts cpu_facts();
Status open_cpu(std::shared_ptr<Machine>& out);

#ifdef CAIRN_HAVE_EMULATOR
Facts emu_facts();
Status open_emu(std::shared_ptr<Machine>& out);
#endif

#ifdef CAIRN_HAVE_CUDA
// Empty where there is no GPU or no driver.
std::vector<Facts> cuda_facts();
Status open_cuda(int device, std::shared_ptr<Machine>& out);
#endif

}  // namespace cairn::runtime
