// What each machine offers to the list in runtime.cpp. One function pair a machine; the build leaves out what it
// cannot have.
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
