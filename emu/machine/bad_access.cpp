#include "emu/machine/bad_access.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <iterator>

#include "emu/machine/block.hpp"
#include "emu/machine/elf_symbols.hpp"
#include "emu/machine/preemption.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr std::size_t kBytes = 64 * 1024;

std::atomic<bool> heeding = false;
struct sigaction earlier[std::size(kSignals)];

void as_before(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = earlier[std::ranges::find(kSignals, signal) - kSignals];
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  sigaction(signal, &before, nullptr);  // and the same instruction once more
}

// Code of this image, a kernel's, holds no lock of the C library, so that a report can be made here. The handler never
// returns then: the block leaves its fibers where they are.
void on_fault(int signal, siginfo_t* info, void* context) {
  Block* block = Block::current();
  static const Span image = image_span();
  if (block == nullptr || block->busy() || interrupted_at(context) - image.low >= image.bytes)
    return as_before(signal, info, context);
  block->busy(true);
  if (signal == SIGFPE) block->fail(describe_division_by_zero(block->self()));
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  block->fail(describe_bad_access(block->self(), address, block->stacks().holds(address)));
}

}  // namespace

void heed_bad_accesses() {
  if (heeding.exchange(true)) return;
  (void)image_span();
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler is left for good, by another stack
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &earlier[i]);
}

AccessGuard::AccessGuard() {
  stack_t now{};
  if (!heeding || sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  stack_ = std::make_unique<std::byte[]>(kBytes);
  const stack_t own{.ss_sp = stack_.get(), .ss_flags = 0, .ss_size = kBytes};
  sigaltstack(&own, nullptr);
}

AccessGuard::~AccessGuard() {
  if (stack_ == nullptr) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
}

}  // namespace cairn::emu
