// Atomics and volatile accesses: how threads wait for each other without a barrier.
//
// Between blocks a step on a word orders by itself: the block that makes one is behind all blocks that made one there
// before, as a whole. Between threads of a block it orders what the one did before a fence and the step, and the
// other after its own step and a fence, as the book has it. A volatile access of global memory is such a step: PTX
// gives it the meaning of a relaxed one. One of shared memory is not: "volatile" there mostly stands for a __syncwarp
// that is missing.
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

// So many polls at one place before somebody may ask which place it is: looking that up takes a moment.
constexpr std::uint64_t kLookUp = 2048;

}  // namespace

// The running thread is behind those who left something at the address: their block as a whole, at once; a warp of
// its own block from the next fence on.
void Tracer::take(std::uintptr_t address) {
  Clocks::Times& left = left_[address];
  if (fences_.empty()) fences_.resize(block_->threads().size());
  Fences& mine = fences_[block_->self().linear];
  Clocks::join(mine.seen, left);
  Clocks::join(left, mine.left);
  const std::vector<BlockId> gained = hand_on(address, id_, behind_);
  if (gained.empty()) return;
  // What the block did so far was not behind them.
  catches_up_ = false;
  for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
  catches_up_ = true;
  behind_.insert(gained.begin(), gained.end());
}

void Tracer::fence() {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  flush(thread);
  if (fences_.empty()) fences_.resize(block_->threads().size());
  fences_[thread].left = clocks_.fence(thread / kWarp, fences_[thread].seen);
}

// A step is told before it is made, so another block may have come between. Before a race with another block is told,
// this looks again; true if there was news.
bool Tracer::catch_up() {
  if (!catches_up_) return false;
  bool news = false;
  for (const auto& [address, left] : left_) {
    const std::vector<BlockId> gained = hand_on(address, id_, behind_);
    behind_.insert(gained.begin(), gained.end());
    news = news || !gained.empty();
  }
  return news;
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
  if (at.known) step(address, at.address, Entry::pack(site, bytes, kStep | kStore | (at.shared ? kShared : 0u)));
}

void Tracer::volatile_access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
  if (is_local(address)) return;
  const SiteId site = site_at(return_address);
  const Place at = find(address, bytes, store, site);
  if (!at.known) return;
  if (!store) poll(address, bytes, site);  // before the load is dated: who runs meanwhile may be the one waited for
  const unsigned kind = store ? kStore : 0;
  if (at.shared) {
    log(at.address, Entry::pack(site, bytes, kind | kShared));
  } else {
    step(address, at.address, Entry::pack(site, bytes, kind | kRelaxed));
  }
}

// A volatile load may be a wait for another thread: the others run. It is nothing new if the thread has seen the same
// value at the same address lately; a loop over an array is not taken for a wait.
void Tracer::poll(std::uintptr_t address, unsigned bytes, SiteId site) {
  Thread& self = block_->self();
  if (glances_.empty()) glances_.resize(block_->threads().size());
  Glance& last = glances_[self.linear][(address / bytes) % kGlances];
  const std::uint64_t value = value_at(address, bytes);
  const bool news = last.address != address || last.value != value;
  last = {address, value};

  Poll& here = polls_[site];
  if (here.text.empty()) here.text = "a volatile load";
  if (++here.times == kLookUp) {
    const emu::Place place = places_of({site}).at(0);
    if (place.line > 0) here.text += ", " + place.file + ":" + std::to_string(place.line);
  }
  self.call = here.text.c_str();
  self.site = {};  // the text has it
  block_->spin(news);
}

}  // namespace cairn::emu
