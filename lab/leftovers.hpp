// What must not outlive the command: its child processes, and its temporary files and folders. Each is registered here
// from the moment it exists until it is gone, so that a signal that ends the command ends them as well.
#pragma once

#include <filesystem>
#include <functional>

#include <sys/types.h>

namespace cairn::lab {

// A file or folder that the destructor removes with all that is in it, or the signal that ends the command.
class TemporaryPath {
 public:
  // `make` creates it and returns its path. It throws if it cannot, and then there is nothing to remove.
  explicit TemporaryPath(const std::function<std::filesystem::path()>& make);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// fork(), with signals as a new program expects them in the child. The child leads a process group of its own, so that
// what it starts can be killed with it, and the kernel kills it when this process dies, even by SIGKILL.
pid_t fork_child();

// Sends a signal to the child's process group.
void signal_child(pid_t child, int signal);

// True once the child has ended, and `status` is waitpid's; it is not registered from then on. `block` waits for that.
bool child_ended(pid_t child, bool block, int& status);

// Sends a signal to the process groups of all children.
void signal_children(int signal);

// Kills all children and removes all temporary paths. Only for a command that ends right after: whatever registers or
// removes something in another thread from now on waits for ever.
void remove_leftovers();

}  // namespace cairn::lab
