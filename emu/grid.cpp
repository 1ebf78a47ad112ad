#include "emu/grid.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "emu/block.hpp"
#include "emu/kernels.hpp"
#include "emu/pool.hpp"
#include "emu/preempt.hpp"
#include "emu/random.hpp"
#include "emu/settings.hpp"
#include "emu/trace_hooks.hpp"

namespace cairn::emu {

namespace {

// Kept by each OS thread between launches, with its stacks.
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

Grid::Grid(const Launch& launch)
    : launch_(launch),
      blocks_(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z),
      seed_(mix(settings().seed)),
      step_((seed_ >> 20) % blocks_),
      shift_(mix(seed_) % blocks_),
      most_ticks_(static_cast<std::uint64_t>(settings().patience * 200)) {  // 5 ms each
  // turn -> step * turn + shift (mod blocks) meets every block once when step and blocks have no common factor.
  while (std::gcd(step_, blocks_) != 1) ++step_;
  const std::size_t shared = launch.dynamic_shared + kernel_facts(launch.kernel).shared_bytes;
  const auto sms = static_cast<std::uint64_t>(settings().sms);
  most_resident_ = std::max<std::uint64_t>(1, sms * blocks_per_sm(launch.threads(), shared));
}

uint3 Grid::block_at(std::uint64_t turn) const {
  __extension__ using Wide = unsigned __int128;
  auto block = static_cast<std::uint64_t>((static_cast<Wide>(step_) * turn + shift_) % blocks_);
  const auto x = static_cast<unsigned>(block % launch_.grid.x);
  block /= launch_.grid.x;
  return {x, static_cast<unsigned>(block % launch_.grid.y), static_cast<unsigned>(block / launch_.grid.y)};
}

void Grid::work() {
  Watch* watch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    watches_.push_back(std::make_unique<Watch>(*this));
    watch = watches_.back().get();
  }
  try {
    Block& block = block_of_this_thread();
    const Preempt preempt;
    while (!failed()) {
      const std::uint64_t turn = next_.fetch_add(1, std::memory_order_relaxed);
      if (turn >= blocks_) break;
      block.run(launch_, block_at(turn), mix(seed_ + turn), *watch);
      watch->block_done();
    }
  } catch (const std::bad_alloc&) {
    fail("out of memory for the stacks of a block");
  } catch (const std::exception& e) {
    fail(e.what());
  }
  const std::lock_guard lock(mutex_);
  finished_progress_ += watch->progress() + 1;
  std::erase_if(watches_, [&](const auto& w) { return w.get() == watch; });
  --crew_;
}

bool Grid::recruit() {
  const std::lock_guard lock(mutex_);
  if (crew_ >= most_resident_) return false;
  ++crew_;
  return true;
}

void Grid::fail(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!failed_.load(std::memory_order_relaxed)) message_ = std::move(message);
  failed_.store(true);
}

std::uint64_t Grid::progress() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = finished_progress_ + watches_.size();
  for (const auto& watch : watches_) sum += watch->progress();
  return sum;
}

bool Grid::all_stuck_at(std::uint64_t progress) {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(watches_, [&](const auto& w) { return w->stuck_at_.load() == progress; });
}

bool Grid::start_another() {
  if (!unfinished() || !recruit()) return false;
  if (Pool::instance().help(*this)) return true;
  const std::lock_guard lock(mutex_);
  --crew_;
  return false;
}

Status run_grid(const Launch& launch) {
  if (trace_hooks != nullptr) trace_hooks->launch_begins(launch);
  Grid grid(launch);
  grid.recruit();  // this OS thread
  const std::uint64_t wanted = std::min<std::uint64_t>(static_cast<std::uint64_t>(os_threads()), grid.blocks());
  for (std::uint64_t crew = 1; crew < wanted && grid.start_another(); ++crew) {}
  grid.work();
  Pool::instance().finish(grid);
  if (trace_hooks != nullptr) trace_hooks->launch_ends(launch, grid.failed() ? grid.message().c_str() : nullptr);
  if (grid.failed()) return {Code::device_error, grid.message()};
  return {};
}

}  // namespace cairn::emu
