// The objects behind the opaque pointers of the C API that exist now. Pointers of a caller are looked up here before
// they are followed, so that a destroyed or foreign one is refused: reading a mark in the object itself would read
// freed memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <unordered_set>

namespace cairn::api {

// One list for each kind of object. An address that was reused for a new object of the same kind counts as that one.
template <class T> class Live {
 public:
  static T* add(std::unique_ptr<T> object) {
    Live& all = instance();
    const std::lock_guard lock(all.mutex_);
    all.objects_.insert(object.get());
    return object.release();
  }

  static bool has(const T* object) {
    // Most calls use the object of the thread's call before, and nothing was destroyed since: they take no lock.
    struct Known {
      const T* object = nullptr;
      std::uint64_t destroyed = 0;
    };
    static thread_local Known known;
    Live& all = instance();
    const std::uint64_t destroyed = all.destroyed_.load(std::memory_order_acquire);
    if (known.object == object && known.destroyed == destroyed) return true;
    const std::lock_guard lock(all.mutex_);
    if (!all.objects_.contains(object)) return false;
    known = {object, destroyed};
    return true;
  }

  // Null if it is not there.
  static std::unique_ptr<T> remove(T* object) {
    Live& all = instance();
    const std::lock_guard lock(all.mutex_);
    if (all.objects_.erase(object) == 0) return nullptr;
    all.destroyed_.fetch_add(1, std::memory_order_release);
    return std::unique_ptr<T>(object);
  }

 private:
  // A child of fork() must not find the lock held by a thread that it does not have.
  Live() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
  }
  // Never destroyed: a program may destroy its handles as late as it likes.
  static Live& instance() {
    static Live& all = *new Live;
    return all;
  }

  std::mutex mutex_;
  std::unordered_set<const T*> objects_;
  std::atomic<std::uint64_t> destroyed_{0};
};

}  // namespace cairn::api
