#include "emu/sm90/mbarrier.hpp"

#include <cstring>
#include <utility>

#include "emu/machine/block.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/sm90_report.hpp"

namespace cairn::emu {

namespace {
constexpr unsigned char kPoison = 0xff;             // a NaN in every floating-point type
constexpr unsigned kMostArrivals = (1u << 20) - 1;  // the hardware's counters
constexpr std::uint64_t kMostBytes = (1u << 20) - 1;
}  // namespace

void Mbarriers::reset() { all_.clear(), last_ = 0; }

const Mbarrier* Mbarriers::find(const void* address) const {
  for (const Mbarrier& barrier : all_) {
    if (barrier.address == address && !barrier.gone) return &barrier;
  }
  return nullptr;
}

Mbarrier& Mbarriers::use(const void* address) {
  if (last_ < all_.size() && all_[last_].address == address && !all_[last_].gone) return all_[last_];
  for (Mbarrier& barrier : all_) {
    if (barrier.address != address || barrier.gone) continue;
    last_ = barrier.number;
    return barrier;
  }
  block_.fail(describe_no_mbarrier(block_, address));
}

void Mbarriers::init(void* address, unsigned arrivals) {
  const bool misplaced = reinterpret_cast<std::uintptr_t>(address) % 8 != 0 || !is_shared(address);
  if (misplaced || arrivals == 0 || arrivals > kMostArrivals)
    block_.fail(describe_bad_mbarrier(block_, misplaced, arrivals));
  if (const Mbarrier* old = find(address)) block_.fail(describe_second_init(block_, *old));
  Mbarrier barrier;
  barrier.address = address;
  barrier.offset = place_in_shared(address);
  barrier.number = static_cast<unsigned>(all_.size());
  barrier.arrivals = barrier.missing = arrivals;
  barrier.init_thread = block_.self().linear;
  barrier.init_site = block_.self().site;
  all_.push_back(std::move(barrier));
  if (trace_hooks != nullptr) trace_hooks->mbarrier_initialized(all_.back());
}

// Published kernels initialise a cuda::barrier by all threads of a two-dimensional block whose threadIdx.x is 0. While
// nothing has used it, that is the same again; the race detector reports it.
void Mbarriers::init_once(void* address, unsigned arrivals) {
  const Mbarrier* old = find(address);
  const bool untouched = old != nullptr && old->phase == 0 && old->missing == old->arrivals && old->copies.empty();
  if (!untouched || old->arrivals != arrivals) return init(address, arrivals);
  if (trace_hooks != nullptr) trace_hooks->mbarrier_used(*old);
}

void Mbarriers::invalidate(const void* address) { use(address).gone = true; }

void Mbarriers::ready() {
  for (Mbarrier& barrier : all_) barrier.ready = barrier.ready || barrier.init_thread == block_.self().linear;
}

std::uint32_t Mbarriers::arrive(const void* address, std::uint64_t bytes) {
  Mbarrier& barrier = use(address);
  if (trace_hooks != nullptr) trace_hooks->mbarrier_arrives(barrier);
  const std::uint32_t phase = barrier.phase;
  arrive(barrier, 1, bytes, nullptr);
  return phase;
}

std::uint32_t Mbarriers::arrive(const void* address, unsigned count, bool drop) {
  Mbarrier& barrier = use(address);
  if (trace_hooks != nullptr) trace_hooks->mbarrier_arrives(barrier);
  const std::uint32_t phase = barrier.phase;
  if (drop && barrier.arrivals > 0) --barrier.arrivals;
  arrive(barrier, count, 0, nullptr);
  return phase;
}

void Mbarriers::arrive(Mbarrier& barrier, unsigned count, std::uint64_t bytes, const Sender* from) {
  if (barrier.missing < count) [[unlikely]]
    block_.fail(describe_too_many_arrivals(block_, barrier, from));
  barrier.expected += bytes;
  if (barrier.expected > kMostBytes) [[unlikely]]
    block_.fail(describe_too_many_bytes(block_, barrier, kMostBytes));
  barrier.missing -= count;
  advance(barrier);
}

void Mbarriers::copy(const void* address, const AsyncCopy& copy) {
  Mbarrier& barrier = use(address);
  if (trace_hooks != nullptr) trace_hooks->mbarrier_used(barrier);
  if (barrier.only_bytes_missing()) [[unlikely]]
    block_.fail(describe_too_many_arrivals(block_, barrier, nullptr));
  begin_copy(copy);
  barrier.copies.push_back(copy);
}

void Mbarriers::load(const void* address, TmaLoad load) {
  Mbarrier& barrier = use(address);
  if (!barrier.ready) [[unlikely]]
    block_.fail(describe_not_ready(block_, barrier));
  add(barrier, std::move(load), nullptr);
}

void Mbarriers::add(Mbarrier& barrier, TmaLoad load, const Sender* from) {
  const unsigned bytes = load.map.bytes();
  if (trace_hooks != nullptr) trace_hooks->tma_write_begins(load, from);
  std::memset(load.to, kPoison, bytes);
  barrier.in_flight += bytes;
  barrier.loads.push_back(std::move(load));
  advance(barrier);
}

// After an arrival or a new load: completes the phase if nothing is missing.
void Mbarriers::advance(Mbarrier& barrier) {
  if (!barrier.only_bytes_missing()) return;
  if (barrier.in_flight > barrier.expected) [[unlikely]]
    block_.fail(describe_unexpected_bytes(block_, barrier));
  if (barrier.expected == 0 && barrier.copies.empty()) {
    end_phase(barrier);
    wake(barrier);
  } else if (barrier.in_flight == barrier.expected) {
    wake(barrier);  // the first to run completes the loads and copies
  }
}

// Whether the phase of this parity is complete. If nothing but copies is missing, they are made now.
bool Mbarriers::complete(Mbarrier& barrier, unsigned parity) {
  if ((barrier.phase & 1) == (parity & 1)) {
    if (!barrier.only_bytes_missing() || barrier.in_flight != barrier.expected) return false;
    land(barrier);
    end_phase(barrier);
    wake(barrier);
  }
  barrier.waited_for = barrier.phase;
  if (trace_hooks != nullptr) trace_hooks->mbarrier_waited(barrier);
  return true;
}

void Mbarriers::wait(const void* address, unsigned parity) {
  block_.receive_pending();
  Mbarrier& barrier = use(address);
  Thread& self = block_.self();
  while (!complete(barrier, parity)) {
    self.value = reinterpret_cast<std::uintptr_t>(address);
    self.argument = parity;
    barrier.waiting.push_back(&self);
    block_.park(State::at_mbarrier);
  }
}

bool Mbarriers::test(const void* address, unsigned parity) {
  block_.receive_pending();
  return complete(use(address), parity);
}

void Mbarriers::land(Mbarrier& barrier) {
  for (const TmaLoad& load : barrier.loads) {
    load_box(load.map, load.at, load.to);
    if (trace_hooks != nullptr) trace_hooks->tma_write_ends(load, barrier);
  }
  barrier.loads.clear();
  barrier.in_flight = 0;
  for (const AsyncCopy& copy : barrier.copies) finish_copy(copy, &barrier);
  barrier.copies.clear();
}

void Mbarriers::end_phase(Mbarrier& barrier) {
  ++barrier.phase;
  barrier.missing = barrier.arrivals;
  barrier.expected = 0;
  if (trace_hooks != nullptr) trace_hooks->mbarrier_phase_completed(barrier);
}

void Mbarriers::wake(Mbarrier& barrier) {
  if (barrier.waiting.empty()) return;
  block_.wake(barrier.waiting.data(), static_cast<unsigned>(barrier.waiting.size()));
  barrier.waiting.clear();
}

void Mbarriers::note_remote_use(Mbarrier& barrier, const Sender& from) {
  if (!barrier.ready) [[unlikely]]
    block_.fail(describe_not_ready(block_, barrier));
  if (barrier.remote_uses.empty()) barrier.remote_uses.resize(Cluster::kMost);
  barrier.remote_uses[from.rank] = {true, from, barrier.phase};
}

void Mbarriers::receive(Message& message) {
  const void* address = shared_at(message.barrier);
  if (find(address) == nullptr) [[unlikely]]
    block_.fail(describe_remote_no_mbarrier(block_, address, message.from));
  Mbarrier& barrier = use(address);
  note_remote_use(barrier, message.from);
  if (message.load == nullptr) {
    if (trace_hooks != nullptr) trace_hooks->mbarrier_remote_arrival(barrier, message.from);
    return arrive(barrier, 1, 0, &message.from);
  }
  message.load->to = shared_at(message.to);
  add(barrier, std::move(*message.load), &message.from);
}

const Mbarrier* Mbarriers::unfinished() const {
  for (const Mbarrier& barrier : all_) {
    if (barrier.expected != 0 || barrier.in_flight != 0 || !barrier.copies.empty()) return &barrier;
  }
  return nullptr;
}

const Mbarrier* Mbarriers::awaiting_remote(std::uint32_t phase, const Sender*& by) const {
  for (const Mbarrier& barrier : all_) {
    for (const Mbarrier::RemoteUse& note_remote_use : barrier.remote_uses) {
      if (!note_remote_use.was || note_remote_use.phase < barrier.waited_for || note_remote_use.from.epoch < phase)
        continue;
      by = &note_remote_use.from;
      return &barrier;
    }
  }
  return nullptr;
}

}  // namespace cairn::emu
