#include "emu/trace/tracer.hpp"

#include <algorithm>
#include <link.h>

#include "emu/elf_symbols.hpp"
#include "emu/kernels.hpp"
#include "emu/shared_memory.hpp"
#include "emu/trace_hooks.hpp"

namespace cairn::emu {
namespace {

struct Range {
  std::uintptr_t low = 0, bytes = 0;
};

// Where the file that holds this code was loaded: its code, constants and variables.
Range image_range() {
  struct Search {
    std::uintptr_t inside;
    Range found;
  } search{reinterpret_cast<std::uintptr_t>(&image_range), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          low = std::min<std::uintptr_t>(low, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
          high = std::max<std::uintptr_t>(high,
                                          info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        }
        if (s.inside < low || s.inside >= high) return 0;
        s.found = {low, high - low};
        return 1;
      },
      &search);
  return search.found;
}

std::size_t bytes_of_locals() {
  std::uint64_t end = 0;
  for (const Symbol& symbol : this_image().symbols) {
    if (symbol.is_thread_local) end = std::max(end, symbol.value + symbol.bytes);
  }
  return end;
}

Tracer& tracer_of_this_thread() {
  thread_local const std::unique_ptr<Tracer> tracer = std::make_unique<Tracer>();
  return *tracer;
}

}  // namespace

constinit thread_local Tracer* Tracer::current = nullptr;

void Tracer::begin(Block& block) {
  static const Range image = image_range();
  static const std::size_t locals = bytes_of_locals();
  block_ = &block;
  const Launch& launch = block.launch();
  detect_ = detectors_on();
  warps_ = (launch.threads() + kWarp - 1) / kWarp;
  clocks_.reset(warps_);
  launch_ = launch_blocks();
  behind_.clear();
  const uint3 at = block.index();
  id_ = launch_ + 1 + at.x + launch.grid.x * (at.y + launch.grid.y * at.z);

  const Stack range = block.stacks().first_slab();
  stacks_low_ = reinterpret_cast<std::uintptr_t>(range.low);
  stacks_bytes_ = static_cast<std::uintptr_t>(range.top - range.low);
  several_stacks_ = block.stacks().slabs() > 1;
  if (logs_.size() < launch.threads()) logs_.resize(launch.threads());
  for (Log& log : logs_) {
    if (log.storage == nullptr) log.grow_to(kShortLog);
    log.next = log.storage.get();
  }
  site_base_ = static_cast<std::uintptr_t>(this_image().loaded_at) + 1;  // as site_of() counts
  image_low_ = image.low, image_bytes_ = image.bytes;
  locals_low_ = reinterpret_cast<std::uintptr_t>(shared_base()), locals_bytes_ = locals;
  recent_.fill(nullptr);
  generation_ = region_generation();

  // Arrays one after another, each on a boundary of 128 bytes: an array's own start decides no conflict.
  arrays_.clear();
  std::uint32_t offset = 0;
  const auto add = [&](std::uintptr_t start, std::size_t bytes, const char* name) {
    arrays_.push_back({start, bytes, offset, name});
    offset += static_cast<std::uint32_t>((bytes + 127) / 128 * 128);
  };
  for (const SharedArray& array : kernel_facts(launch.kernel).shared) {
    add(locals_low_ + array.offset, array.bytes, array.name.c_str());
  }
  if (launch.dynamic_shared > 0) {
    add(reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared()), launch.dynamic_shared, "dynamic shared memory");
  }
  shared_written_.assign(offset / 4, 0);
  if (shared_past_.size() < offset / 4) shared_past_.resize(offset / 4);
  current = this;
}

void Tracer::end() {
  current = nullptr;
  for (unsigned warp = 0; warp < warps_; ++warp) drain(warp);
  hand_over();
  block_ = nullptr;
}

// The places that almost all accesses go to.
inline bool Tracer::find(std::uintptr_t address, unsigned bytes, Target& out) {
  if ((address & (bytes - 1)) != 0) [[unlikely]]  // sizes are powers of two, and a division takes its time
    return false;
  for (const Array& array : arrays_) {
    const std::uintptr_t in = address - array.start;
    if (in + bytes > array.bytes || in >= array.bytes) continue;
    const std::size_t word = (array.offset + in) / 4;
    out = {&shared_past_[word], &shared_written_[word], array.offset + in, true};
    return true;
  }
  for (Region* region : recent_) {
    if (region == nullptr) return false;
    const std::uintptr_t in = address - region->start;
    if (in + bytes > region->bytes || in >= region->bytes) continue;
    out = {region->past + in / 4, region->written + in / 4, address, false};
    return true;
  }
  return false;
}

void Tracer::access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
  if (address - stacks_low_ < stacks_bytes_ || (several_stacks_ && block_->stacks().holds(address))) return;
  const auto site = static_cast<SiteId>(reinterpret_cast<std::uintptr_t>(return_address) - site_base_);
  Target target;
  if (!find(address, bytes, target) && !find_rarely(address, bytes, store, site, target)) return;
  if (detect_) check_words(target, address, bytes, store, false, site);
  log(target, bytes, static_cast<std::uint8_t>((store ? kStore : 0) | (target.shared ? kShared : 0)), site);
}

void Tracer::atomic(std::uintptr_t address, unsigned bytes, const Site& where) {
  const SiteId site = emu::site_of(where);
  if (detect_) hand_on(address, id_, behind_);
  Target target;
  if (!find(address, bytes, target) && !find_rarely(address, bytes, true, site, target)) return;
  if (detect_) check_words(target, address, bytes, true, true, site);
  log(target, bytes, static_cast<std::uint8_t>(kStep | kStore | (target.shared ? kShared : 0)), site);
}

void Tracer::arrives(unsigned barrier) { clocks_.arrives(barrier, block_->self().linear / kWarp); }

void Tracer::warps_meet(unsigned barrier, std::uint32_t waiting, const Site& site) {
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if ((waiting >> warp & 1) != 0) drain(warp);
  }
  clocks_.warps_meet(barrier, waiting);
  add_barrier(site);
}

void Tracer::lanes_meet(unsigned warp, std::uint32_t) {
  drain(warp);
  clocks_.lanes_meet(warp);
}

namespace {

const TraceHooks kHooks = {
    [](const Launch& launch) { (void)open_launch(launch); },
    [](const Launch& launch, const char* failure) { close_launch(launch, failure); },
    [](Block& block) { tracer_of_this_thread().begin(block); },
    [](Block&) { tracer_of_this_thread().end(); },
    [](Block&, unsigned barrier) { tracer_of_this_thread().arrives(barrier); },
    [](Block&, unsigned barrier, std::uint32_t waiting, const Site& site) {
      tracer_of_this_thread().warps_meet(barrier, waiting, site);
    },
    [](Block&, unsigned warp, std::uint32_t lanes) { tracer_of_this_thread().lanes_meet(warp, lanes); },
    [](const void* address, std::size_t bytes, const char*, const Site& site) {
      if (Tracer::current != nullptr)
        Tracer::current->atomic(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes), site);
    },
    add_region,
    drop_region,
    mark_written,
};

// Before anything of the emulator is used.
[[gnu::constructor]] void listen() { trace_hooks = &kHooks; }

}  // namespace
}  // namespace cairn::emu
