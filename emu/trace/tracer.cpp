#include "emu/trace/tracer.hpp"

#include <algorithm>

#include "emu/machine/elf_symbols.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"
#include "emu/sm90/late_use.hpp"

namespace cairn::emu {
namespace {

std::size_t bytes_of_locals() {
  std::uint64_t end = 0;
  for (const Symbol& symbol : this_image().symbols) {
    if (symbol.is_thread_local) end = std::max(end, symbol.value + symbol.bytes);
  }
  return end;
}

// The guard variables by which the compiler knows whether a `__shared__` object has been constructed. They are read
// at every use and are not memory of the kernel. By offset.
std::vector<Span> guards_of_locals() {
  std::vector<Span> guards;
  for (const Symbol& symbol : this_image().symbols) {
    if (symbol.is_thread_local && symbol.name.starts_with("_ZGV")) guards.push_back({symbol.value, symbol.bytes});
  }
  return guards;
}

Tracer& tracer_of_this_thread() {
  thread_local const std::unique_ptr<Tracer> tracer = std::make_unique<Tracer>();
  return *tracer;
}

}  // namespace

constinit thread_local Tracer* Tracer::current = nullptr;

bool Tracer::is_guard(std::uintptr_t offset) {
  static const std::vector<Span> guards = guards_of_locals();
  return std::ranges::any_of(guards, [&](const Span& guard) { return offset - guard.low < guard.bytes; });
}

void Tracer::begin(Block& block) {
  const Span image = image_span();
  static const std::size_t locals = bytes_of_locals();
  block_ = &block;
  const Launch& launch = block.launch();
  detect_ = detectors_on(), merge_ = merged_loads_wanted();
  warps_ = (launch.threads() + kWarp - 1) / kWarp;
  if (merge_) merged_loads_.resize(std::max<std::size_t>(merged_loads_.size(), warps_));
  clocks_.reset(warps_);
  read_times_.clear();
  launch_ = launch_blocks();
  predecessors_.clear();
  left_.clear();
  fences_.clear();
  last_seen_.clear();
  mbarrier_clocks_.clear();
  sent_.assign(1, {});
  cluster_.fill({});
  cluster_phase_ = 0;
  proxy_fences_.clear();
  for (auto& operands : operands_) operands.clear();
  stores_.clear();
  issued_ = {};
  const uint3 at = block.index();
  id_ = launch_ + 1 + at.x + launch.grid.x * (at.y + launch.grid.y * at.z);
  floor_ = mark(launch_, 0), mine_ = mark(id_, 0);

  const Stack range = block.stacks().first_slab();
  stacks_low_ = reinterpret_cast<std::uintptr_t>(range.low);
  stacks_bytes_ = static_cast<std::uintptr_t>(range.top - range.low);
  several_stacks_ = block.stacks().slabs() > 1;
  if (logs_.size() < launch.threads()) logs_.resize(launch.threads());
  for (Log& log : logs_) {
    log.next = log.storage.get(), log.checked = 0;
  }
  for (unsigned warp = 0; warp < warps_; ++warp) grow_logs(warp, kShortLog);
  site_base_ = static_cast<std::uintptr_t>(this_image().loaded_at) + 1;  // as site_of() counts
  image_low_ = image.low, image_bytes_ = image.bytes;
  locals_low_ = reinterpret_cast<std::uintptr_t>(shared_base()), locals_bytes_ = locals;
  recent_.fill({});
  running_ = nullptr;

  arrays_.clear();
  shared_written_.clear();
  for (const SharedArray& array : kernel_facts(launch.kernel).shared)
    add_array(locals_low_ + array.offset, array.bytes, array.name.c_str());
  if (launch.dynamic_shared > 0) {
    const auto start = reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared());
    add_array(start, launch.dynamic_shared, "dynamic shared memory");
  }
  current = this;
}

// Arrays follow one another, each aligned to 128 bytes, so that the start of an array causes no bank conflict.
void Tracer::add_array(std::uintptr_t start, std::size_t bytes, const char* name) {
  const std::size_t words = shared_written_.size(), all = words + (bytes + 127) / 128 * 32;
  arrays_.push_back({start, bytes, static_cast<std::uint32_t>(words * 4), name});
  shared_written_.resize(all, 0);
  if (shared_history_.size() < all) shared_history_.resize(all);
}

void Tracer::end() {
  current = nullptr;
  for (unsigned warp = 0; warp < warps_; ++warp) drain(warp), count_copies(warp);
  hand_over();
  block_ = nullptr;
}

void Tracer::arrives(unsigned barrier) {
  const unsigned thread = block_->self().linear;
  if (detect_) flush(thread);
  clocks_.arrives(barrier, thread / kWarp);
}

void Tracer::warps_synchronize(unsigned barrier, std::uint32_t waiting, const Site& site) {
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if ((waiting >> warp & 1) != 0) drain(warp), count_copies(warp);
  }
  clocks_.warps_synchronize(barrier, waiting);
  if (clocks_.level()) read_times_.clear();
  add_barrier(site);
}

// Between two grid.sync() a block counts as one of a launch of its own, so that everything before is past, and what
// blocks do afterwards is not ordered by what ordered them before.
void Tracer::grid_synchronized() {
  const auto numbers = static_cast<BlockId>(block_->launch().blocks() + 1);
  launch_ += numbers, id_ += numbers;
  floor_ = mark(launch_, 0), mine_ = mark(id_, 0);
  predecessors_.clear();
  number_blocks_from(launch_ + numbers);
}

void Tracer::lanes_synchronize(unsigned warp, std::uint32_t) {
  drain(warp);
  count_copies(warp);
  clocks_.lanes_synchronize(warp);
}

namespace {

void used_late(Block& block, const LateUse& use) {
  if (!detectors_on()) return;
  add_finding({Fault::late_use, site_of(use.place), 0, "block " + describe(block.index()) + ": " + use.before,
               use.after, ""});
}

const TraceHooks kHooks = {
    [](const Launch& launch) { (void)open_launch(launch); },
    [](const Launch& launch, const char* failure) { close_launch(launch, failure); },
    [](Block& block) { tracer_of_this_thread().begin(block); },
    [](Block&) { tracer_of_this_thread().end(); },
    [](Block&) { tracer_of_this_thread().fence(); },
    [](Block&, unsigned barrier) { tracer_of_this_thread().arrives(barrier); },
    [](Block&, unsigned barrier, std::uint32_t waiting, const Site& site) {
      tracer_of_this_thread().warps_synchronize(barrier, waiting, site);
    },
    [](Block&, unsigned warp, std::uint32_t lanes) { tracer_of_this_thread().lanes_synchronize(warp, lanes); },
    [](Block&, const Thread& reader) { tracer_of_this_thread().source_absent(reader); },
    [](const void* address, std::size_t bytes, const char*, const Site& site) {
      if (Tracer::current != nullptr)
        Tracer::current->atomic(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes), site);
    },
    [](const void* address, std::size_t bytes, bool store, const Site& site) {
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      if (Tracer::current != nullptr) Tracer::current->relaxed(at, static_cast<unsigned>(bytes), store, site);
    },
    add_region,
    drop_region,
    mark_written,
    [](const AsyncCopy& copy) { tracer_of_this_thread().copy_issued(copy); },
    [](const AsyncCopy& copy, const Mbarrier* by) { tracer_of_this_thread().copy_landed(copy, by); },
    [](const void* row, bool store, const Site& site) { tracer_of_this_thread().matrix_row(row, store, site); },
    [](const Multiply& what, const Site& site) { tracer_of_this_thread().mma_executed(what, site); },
    [](Block&) { tracer_of_this_thread().warpgroup_synchronizes(); },
    [](const void* start, std::size_t bytes, const Site& site) {
      tracer_of_this_thread().operand_issued(start, bytes, site);
    },
    [](const void* start, std::size_t bytes, const Site& site) {
      tracer_of_this_thread().operand_read(start, bytes, site);
    },
    [](const Mbarrier& barrier) { tracer_of_this_thread().mbarrier_initialized(barrier); },
    [](const Mbarrier& barrier) { tracer_of_this_thread().mbarrier_used(barrier); },
    [](const Mbarrier& barrier) { tracer_of_this_thread().mbarrier_arrives(barrier); },
    [](const Mbarrier& barrier) { tracer_of_this_thread().mbarrier_waited(barrier); },
    [](const Mbarrier& barrier) { tracer_of_this_thread().mbarrier_phase_completed(barrier); },
    [](const Mbarrier& barrier, const Sender& from) {
      tracer_of_this_thread().mbarrier_remote_arrival(barrier, from);
    },
    [](const TmaLoad& load) { tracer_of_this_thread().tma_load_issued(load); },
    [](const TmaLoad& load, const Sender* from) { tracer_of_this_thread().tma_write_begins(load, from); },
    [](const TmaLoad& load, const Mbarrier& barrier) { tracer_of_this_thread().tma_write_ends(load, barrier); },
    [](const TmaStore& store) { tracer_of_this_thread().tma_store_issued(store); },
    [](const TmaStore& store) { tracer_of_this_thread().tma_store_read(store); },
    [] { tracer_of_this_thread().proxy_fence(); },
    [] { tracer_of_this_thread().cluster_arrival(); },
    [] { return tracer_of_this_thread().cluster_release(); },
    [](const std::vector<std::shared_ptr<const void>>& clocks) {
      tracer_of_this_thread().cluster_phase_completed(clocks);
    },
    [] { tracer_of_this_thread().cluster_acquire(); },
    [] { return tracer_of_this_thread().release_clock(); },
    used_late,
    [](Block&) { tracer_of_this_thread().grid_synchronized(); },
};

// Runs before any code of the emulator.
[[gnu::constructor]] void listen() { trace_hooks = &kHooks; }

}  // namespace
}  // namespace cairn::emu
