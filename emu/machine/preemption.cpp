#include "emu/machine/preemption.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <ucontext.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "emu/machine/block.hpp"
#include "emu/machine/elf_symbols.hpp"
#include "emu/machine/fork.hpp"
#include "emu/machine/trace_hooks.hpp"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid  // older glibc has the member, but not this name
#endif

namespace cairn::emu {
namespace {

constexpr int kSignal = SIGVTALRM;
constexpr long kTickNanoseconds =
    5'000'000;  // of the OS thread's CPU time, so that a sleeping thread is not interrupted

struct sigaction earlier;  // the handler before ours

// Runs on the stack of the interrupted fiber. Switches only if the fiber was in code of this image: elsewhere, in the
// C library, it may hold a lock.
void on_tick(int signal, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &earlier) {
    if ((earlier.sa_flags & SA_SIGINFO) != 0) {
      earlier.sa_sigaction(signal, info, context);
    } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
      earlier.sa_handler(signal);
    }
    return;
  }
  const int error = errno;
  Block* block = Block::current();
  static const Span image = image_span();
  if (block != nullptr && interrupted_at(context) - image.low < image.bytes) block->tick();
  errno = error;
}

// A timer of the OS thread that creates it. If the system has none, threads are not interrupted.
class Timer {
 public:
  Timer() { create(); }
  ~Timer() {
    if (good_ && forks_ == forks()) timer_delete(timer_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void every(long nanoseconds) {
    const itimerspec period{{0, nanoseconds}, {0, nanoseconds}};
    if (forks_ != forks()) create();  // a child of fork() does not inherit timers
    if (good_) timer_settime(timer_, 0, &period, nullptr);
  }

 private:
  void create() {
    (void)image_span();
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kSignal;
    event.sigev_value.sival_ptr = &earlier;
    event.sigev_notify_thread_id = static_cast<int>(syscall(SYS_gettid));
    good_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    forks_ = forks();
  }

  timer_t timer_{};
  bool good_ = false;
  unsigned forks_ = 0;
};

Timer& timer_of_this_thread() {
  thread_local Timer timer;
  return timer;
}

void listen() {
  struct sigaction action {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // the next fiber is interrupted too
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, &earlier);
}

}  // namespace

std::uintptr_t interrupted_at(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
  return machine.pc;
#elif defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#else
  return 0;
#endif
}

PreemptionTimer::PreemptionTimer() {
  if (trace_hooks != nullptr) return;
  [[maybe_unused]] static const bool listening = (listen(), true);
  timer_of_this_thread().every(kTickNanoseconds);
}

PreemptionTimer::~PreemptionTimer() {
  if (trace_hooks == nullptr) timer_of_this_thread().every(0);
}

}  // namespace cairn::emu
