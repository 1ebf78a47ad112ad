#include "lab/profile/process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/poll.h>
#include <sys/wait.h>

#include "lab/exit.hpp"
#include "lab/leftovers.hpp"

namespace cairn::lab::profile {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTick = std::chrono::milliseconds(100);
constexpr auto kPatience = std::chrono::milliseconds(300);  // for a program that was asked to stop

// Two ends of a pipe, closed when they go.
struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(kFailed, fmt::format("no pipe: {}", std::strerror(errno)));
    from = ends[0], to = ends[1];
  }
  ~Pipe() {
    close_to();
    ::close(from);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_to() {
    if (to >= 0) ::close(to);
    to = -1;
  }
};

// The command's own, and these in front.
std::vector<std::string> environment(std::vector<std::string> all) {
  const auto is_given = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::ranges::any_of(all, [&](const std::string& one) { return one.starts_with(name); });
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_given(*variable)) all.emplace_back(*variable);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Everything that allocates is done before the fork: the parent may have threads, and between fork and exec only the
// simplest calls are safe.
// A negative `output`: the program has the command's streams.
pid_t start(std::vector<std::string> words, const std::vector<std::string>& added, int output) {
  std::vector<std::string> variables = environment(added);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  const pid_t child = fork_child();
  if (child < 0) throw Error(kFailed, fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
  if (child > 0) return child;
  // A child in a process group of its own that reads from the terminal would be stopped.
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && (output >= 0 || ::isatty(STDIN_FILENO) != 0)) ::dup2(nothing, STDIN_FILENO);
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

// Reads what there is; false at the end.
bool read_some(int from, std::string& output) {
  char buffer[1 << 16];
  const ssize_t got = ::read(from, buffer, sizeof buffer);
  if (got > 0) output.append(buffer, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void check(const std::vector<std::string>& words) {
  if (::access(words.at(0).c_str(), X_OK) == 0) return;
  throw Error(kFailed, fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
}

bool readable(int from, int wait_ms) {
  pollfd look = {from, POLLIN, 0};
  return ::poll(&look, 1, wait_ms) > 0;
}

}  // namespace

Ran run_program(const std::vector<std::string>& words, const std::function<bool()>& tick,
                const std::vector<std::string>& variables) {
  check(words);
  Pipe pipe;
  std::vector<std::string> with_locale = variables;
  with_locale.emplace_back("LC_ALL=C");
  const pid_t child = start(words, with_locale, pipe.to);
  pipe.close_to();

  Ran ran;
  int status = 0;
  bool stopping = false, ended = false;
  Clock::time_point asked, ticked = Clock::now();
  while (!ended) {
    if (readable(pipe.from, static_cast<int>(kTick.count()))) {
      if (!read_some(pipe.from, ran.output)) break;
      if (Clock::now() - ticked < kTick) continue;
    } else {
      // The pipe may be held open by something the program left behind; its own end is what counts.
      ended = child_ended(child, /*block=*/false, status);
      while (ended && readable(pipe.from, 0) && read_some(pipe.from, ran.output)) continue;
    }
    ticked = Clock::now();
    if (!stopping && tick && !tick()) {
      stopping = true;
      asked = ticked;
      if (!ended) signal_child(child, SIGINT);
    }
    if (stopping && !ended && ticked - asked > kPatience) signal_child(child, SIGKILL);
  }
  if (!ended) child_ended(child, /*block=*/true, status);
  ran.code = code_of(status);
  return ran;
}

int run_beside(const std::vector<std::string>& words, const std::function<bool()>& tick,
               const std::vector<std::string>& variables) {
  check(words);
  const pid_t child = start(words, variables, -1);
  int status = 0;
  Clock::time_point asked;
  for (bool stopping = false; !child_ended(child, /*block=*/false, status);) {
    ::poll(nullptr, 0, 5);
    if (!stopping && tick && !tick()) {
      stopping = true;
      asked = Clock::now();
      signal_child(child, SIGINT);
    }
    if (stopping && Clock::now() - asked > kPatience) signal_child(child, SIGKILL);
  }
  return code_of(status);
}

}  // namespace cairn::lab::profile
