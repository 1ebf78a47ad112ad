// A test's work in a child of fork(), which has the memory of the test and only the thread that called.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <sys/wait.h>

namespace cairn {

// The status that the child exits with: what `work` returns. -1 if it crashed, or had not ended after 20 seconds.
template <class F> int in_child(F&& work) {
  std::fflush(nullptr);  // or the child would print what is buffered a second time
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const int status = work();
#ifdef __SANITIZE_ADDRESS__
    _exit(status);  // the leak checker would report what the missing threads have
#else
    std::exit(status);  // what runs at exit must not hang either
#endif
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace cairn
