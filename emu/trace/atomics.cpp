// Atomics, fences and volatile accesses: how threads synchronize without a barrier.
//
// Between blocks an atomic on a word synchronizes by itself, and a block counts as a whole: all blocks that accessed
// the word atomically before happen before this one. Between threads of a block the rule is the memory model's: what
// precedes a fence and an atomic happens before what follows an atomic and a fence. A volatile access of global
// memory counts as an atomic, since PTX defines it as a relaxed one. One of shared memory does not: there, "volatile"
// mostly stands for a missing __syncwarp.
#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

template <class T> std::uint64_t load(std::uintptr_t address) {
  return __atomic_load_n(reinterpret_cast<const T*>(address), __ATOMIC_RELAXED);
}

std::uint64_t value_at(std::uintptr_t address, unsigned bytes) {
  if (bytes == 1) return load<std::uint8_t>(address);
  if (bytes == 2) return load<std::uint16_t>(address);
  if (bytes == 4) return load<std::uint32_t>(address);
  return load<std::uint64_t>(address);
}

// Polls at one site before its place is looked up for reports, which is slow.
constexpr std::uint64_t kLookUp = 2048;

}  // namespace

// The running thread acquires what was released at the address: from other blocks at once, as a whole; from warps of
// its own block at its next fence. It releases its own clock there.
void Tracer::take(std::uintptr_t address) {
  VectorClocks::VectorClock& left = left_[address];
  if (fences_.empty()) fences_.resize(block_->threads().size());
  Fences& mine = fences_[block_->self().linear];
  VectorClocks::join(mine.seen, left);
  VectorClocks::join(left, mine.left);
  const std::vector<BlockId> gained = release_and_acquire(address, id_, predecessors_);
  if (gained.empty()) return;
  // What the block has done so far is not ordered by this, so it is checked first.
  catches_up_ = false;
  for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
  catches_up_ = true;
  predecessors_.insert(gained.begin(), gained.end());
}

void Tracer::fence() {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  flush(thread);
  if (fences_.empty()) fences_.resize(block_->threads().size());
  fences_[thread].left = clocks_.fence(thread / kWarp, fences_[thread].seen);
}

// The tracer learns of an atomic before it is executed, so another block's may come in between. Before a race with
// another block is reported, this acquires again; true if that added something.
bool Tracer::catch_up() {
  if (!catches_up_) return false;
  bool changed = false;
  for (const auto& [address, left] : left_) {
    const std::vector<BlockId> gained = release_and_acquire(address, id_, predecessors_);
    predecessors_.insert(gained.begin(), gained.end());
    changed = changed || !gained.empty();
  }
  return changed;
}

void Tracer::step(std::uintptr_t address, std::uint64_t logged, std::uint64_t what) {
  if (!detect_) return log(logged, what);
  const unsigned thread = block_->self().linear;
  flush(thread);
  take(address);
  *logs_[thread].next++ = {logged, what};
  flush(thread);
  if (logs_[thread].full()) full();
}

void Tracer::atomic(std::uintptr_t address, unsigned bytes, const Site& where) {
  const SiteId site = emu::site_of(where);
  const Place at = find(address, bytes, true, site);
  if (at.known)
    step(address, at.address, Entry::pack(site, bytes, kAtomicAccess | kStore | (at.shared ? kShared : 0u)));
  else if (detect_)
    order_by_variable(address);
}

// A __device__ variable: it is not watched, but its atomics order threads and blocks like any others.
void Tracer::order_by_variable(std::uintptr_t address) {
  const unsigned thread = block_->self().linear;
  flush(thread);
  take(address);
}

void Tracer::relaxed(std::uintptr_t address, unsigned bytes, bool store, const Site& where) {
  const SiteId site = emu::site_of(where);
  const Place at = find(address, bytes, store, site);
  const unsigned kind = kRelaxed | (store ? kStore : 0) | (at.shared ? kShared : 0);
  if (at.known) step(address, at.address, Entry::pack(site, bytes, kind));
}

void Tracer::volatile_access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
  if (is_local(address)) return;
  const SiteId site = site_at(return_address);
  const Place at = find(address, bytes, store, site);
  if (!at.known && detect_) order_by_variable(address);
  if (!store) poll(address, bytes, site);  // first, since another thread may run and write the value now
  if (!at.known) return;
  const unsigned kind = store ? kStore : 0;
  if (at.shared) {
    log(at.address, Entry::pack(site, bytes, kind | kShared));
  } else {
    step(address, at.address, Entry::pack(site, bytes, kind | kRelaxed));
  }
}

// A volatile load may poll, so other threads run. It counts as progress unless the thread has recently read the same
// value at the same address: a loop over an array is not taken for polling.
void Tracer::poll(std::uintptr_t address, unsigned bytes, SiteId site) {
  Thread& self = block_->self();
  if (last_seen_.empty()) last_seen_.resize(block_->threads().size());
  LastSeen& last = last_seen_[self.linear][(address / bytes) % kLastSeen];
  const std::uint64_t value = value_at(address, bytes);
  const bool changed = last.address != address || last.value != value;
  last = {address, value};

  Poll& here = polls_[site];
  if (here.text.empty()) here.text = "a volatile load";
  if (++here.times == kLookUp) {
    const emu::Place place = places_of({site}).at(0);
    if (place.line > 0) here.text += ", " + place.file + ":" + std::to_string(place.line);
  }
  self.call = here.text.c_str();
  self.site = {};  // the text contains it
  block_->spin(changed);
}

}  // namespace cairn::emu
