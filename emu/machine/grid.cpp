#include "emu/machine/grid.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "emu/machine/bad_access.hpp"
#include "emu/machine/block.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/machine/preemption.hpp"
#include "emu/machine/random.hpp"
#include "emu/machine/settings.hpp"
#include "emu/machine/thread_pool.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

namespace {

// Each OS thread keeps its Block, with the stacks, between launches.
Block& block_of_this_thread() {
  thread_local const std::unique_ptr<Block> block = std::make_unique<Block>();
  return *block;
}

}  // namespace

unsigned blocks_per_sm(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMostThreads || shared_bytes > kMostShared) return 0;
  const unsigned rounded = (threads + kWarp - 1) / kWarp * kWarp;
  const auto by_shared = static_cast<unsigned>(kSharedPerSm / (shared_bytes + kSharedReservedPerBlock));
  return std::min({kMostThreadsPerSm / rounded, by_shared, kMostBlocksPerSm});
}

std::uint64_t co_resident_blocks(const Launch& launch) {
  const std::size_t shared = launch.dynamic_shared + kernel_facts(launch.kernel).shared_bytes;
  return static_cast<std::uint64_t>(settings().sms) * blocks_per_sm(launch.threads(), shared);
}

Grid::Grid(const Launch& launch)
    : launch_(launch),
      blocks_(launch.blocks()),
      clusters_(blocks_ / launch.cluster_size()),
      seed_(mix(settings().seed)),
      step_((seed_ >> 20) % clusters_),
      shift_(mix(seed_) % clusters_),
      most_ticks_(static_cast<std::uint64_t>(settings().patience * 200)),  // 5 ms each
      barrier_(blocks_) {
  // turn -> step * turn + shift (mod clusters) visits every cluster once if gcd(step, clusters) is 1.
  while (std::gcd(step_, clusters_) != 1) ++step_;
  most_resident_ = std::max<std::uint64_t>(launch.cluster_size(), co_resident_blocks(launch));
}

uint3 Grid::block_at(std::uint64_t turn) const {
  __extension__ using Wide = unsigned __int128;
  const dim3 size = launch_.cluster;
  const std::uint64_t across = launch_.grid.x / size.x, down = launch_.grid.y / size.y;
  const auto rank = static_cast<unsigned>(turn % launch_.cluster_size());
  const auto cluster =
      static_cast<std::uint64_t>((static_cast<Wide>(step_) * (turn / launch_.cluster_size()) + shift_) % clusters_);
  return {static_cast<unsigned>(cluster % across) * size.x + rank % size.x,
          static_cast<unsigned>(cluster / across % down) * size.y + rank / size.x % size.y,
          static_cast<unsigned>(cluster / across / down) * size.z + rank / size.x / size.y};
}

std::shared_ptr<Cluster> Grid::cluster_at(std::uint64_t turn) {
  const unsigned size = launch_.cluster_size();
  if (size == 1) return nullptr;
  const std::lock_guard lock(mutex_);
  Begun& begun = begun_[turn / size];
  if (begun.cluster == nullptr) begun.cluster = std::make_shared<Cluster>(size);
  std::shared_ptr<Cluster> cluster = begun.cluster;
  if (++begun.blocks == size) begun_.erase(turn / size);
  return cluster;
}

void Grid::work() {
  Watchdog* watchdog = nullptr;
  {
    const std::lock_guard lock(mutex_);
    watchdogs_.push_back(std::make_unique<Watchdog>(*this));
    watchdog = watchdogs_.back().get();
  }
  try {
    Block& block = block_of_this_thread();
    const PreemptionTimer preempt;
    const AccessGuard guard;
    while (!failed()) {
      const std::uint64_t turn = next_.fetch_add(1, std::memory_order_relaxed);
      if (turn >= blocks_) break;
      const std::shared_ptr<Cluster> cluster = cluster_at(turn);
      const auto rank = static_cast<unsigned>(turn % launch_.cluster_size());
      GridBarrier* const barrier = launch_.cooperative ? &barrier_ : nullptr;
      block.run(launch_, block_at(turn), mix(seed_ + turn), *watchdog, barrier, cluster.get(), rank);
      if (launch_.cooperative) barrier_.block_ends(block_at(turn));
      watchdog->block_done();
    }
  } catch (const std::bad_alloc&) {
    fail("out of memory for the stacks of a block");
  } catch (const std::exception& e) {
    fail(e.what());
  }
  const std::lock_guard lock(mutex_);
  finished_progress_ += watchdog->progress() + 1;
  std::erase_if(watchdogs_, [&](const auto& w) { return w.get() == watchdog; });
  --workers_;
}

bool Grid::add_worker() {
  const std::lock_guard lock(mutex_);
  if (workers_ >= most_resident_) return false;
  ++workers_;
  return true;
}

void Grid::fail(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (!failed_.load(std::memory_order_relaxed)) message_ = std::move(message);
    failed_.store(true);
  }
  barrier_.launch_fails();
}

std::uint64_t Grid::progress() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = finished_progress_ + watchdogs_.size();
  for (const auto& watchdog : watchdogs_) sum += watchdog->progress();
  return sum;
}

bool Grid::all_stuck_at(std::uint64_t progress) {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(watchdogs_, [&](const auto& w) { return w->stuck_at_.load() == progress; });
}

bool Grid::start_another() {
  if (!unfinished() || !add_worker()) return false;
  if (ThreadPool::instance().help(*this)) return true;
  const std::lock_guard lock(mutex_);
  --workers_;
  return false;
}

// Those that a watchdog has started in the meantime count too.
bool Grid::lacks_workers() {
  const std::lock_guard lock(mutex_);
  return unfinished() && workers_ < together();
}

Status run_grid(const Launch& launch) {
  if (trace_hooks != nullptr) trace_hooks->launch_begins(launch);
  Grid grid(launch);
  grid.add_worker();  // this OS thread
  const auto most = std::max(static_cast<std::uint64_t>(os_threads()), grid.together());
  const std::uint64_t wanted = std::min(most, grid.blocks());
  for (std::uint64_t workers = 1; workers < wanted && grid.start_another();) ++workers;
  if (grid.lacks_workers()) {
    grid.fail(std::string("there are no OS threads for all blocks of a ") +
              (launch.cooperative ? "cooperative launch" : "cluster"));
  }
  grid.work();
  ThreadPool::instance().finish(grid);
  if (trace_hooks != nullptr) trace_hooks->launch_ends(launch, grid.failed() ? grid.message().c_str() : nullptr);
  if (grid.failed()) return {Code::device_error, grid.message()};
  return {};
}

}  // namespace cairn::emu
