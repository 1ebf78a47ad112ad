#include "lab/leftovers.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace cairn::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Never destroyed, because the thread that waits for signals may outlive main().
struct Registry {
  std::mutex mutex;
  std::vector<fs::path> paths;
  std::vector<pid_t> children;
};
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// In the child, between fork and exec, where only the simplest calls are safe.
void become_child(pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
  }
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
}

}  // namespace

TemporaryPath::TemporaryPath(const std::function<fs::path()>& make) {
  const std::lock_guard lock(registry().mutex);
  path_ = make();
  registry().paths.push_back(path_);
}

TemporaryPath::~TemporaryPath() {
  const std::lock_guard lock(registry().mutex);
  remove_quietly(path_);
  std::erase(registry().paths, path_);
}

pid_t fork_child() {
  const std::lock_guard lock(registry().mutex);
  registry().children.reserve(registry().children.size() + 1);
  // A signal between fork and exec would run this process's handler in the child.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become_child(parent);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child > 0) {
    ::setpgid(child, child);  // here as well: whichever of the two runs first
    registry().children.push_back(child);
  }
  return child;
}

void signal_child(pid_t child, int signal) { ::kill(-child, signal); }

bool child_ended(pid_t child, bool block, int& status) {
  if (block) {
    // Without reaping, so that the lock need not be held while waiting.
    siginfo_t info = {};
    while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
  }
  // Until it is reaped, its number cannot be that of another process.
  const std::lock_guard lock(registry().mutex);
  if (::waitpid(child, &status, WNOHANG) != child) return false;
  std::erase(registry().children, child);
  return true;
}

void signal_children(int signal) {
  const std::lock_guard lock(registry().mutex);
  for (const pid_t child : registry().children) signal_child(child, signal);
}

void remove_leftovers() {
  Registry& all = registry();
  all.mutex.lock();  // and never unlocked
  for (const pid_t child : all.children) signal_child(child, SIGKILL);
  // A compiler that is not dead yet may still create a file in a folder that is being removed.
  const auto until = std::chrono::steady_clock::now() + 200ms;
  for (const pid_t child : all.children) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(2ms);
  }
  for (const fs::path& path : all.paths) {
    remove_quietly(path);
    std::error_code ignored;
    while (fs::exists(path, ignored) && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(2ms);
      remove_quietly(path);
    }
  }
}

}  // namespace cairn::lab
