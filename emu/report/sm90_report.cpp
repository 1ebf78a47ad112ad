#include "emu/report/sm90_report.hpp"

#include "emu/machine/block.hpp"
#include "emu/machine/kernel_facts.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string count(std::uint64_t value, const char* what) {
  return number(value) + " " + what + (value == 1 ? "" : "s");
}

std::string caller(const Thread& thread) {
  return std::string(thread.call) + " at " + describe(thread.site) + " in thread " + number(thread.linear);
}

std::string barrier_at(const Block& block, const void* address) {
  return "the barrier at " + describe_shared(block, address);
}

std::string sender(const Sender& from) {
  return "block " + number(from.rank) + " of its cluster, at " + describe(from.site);
}

std::string missing(const Mbarrier& barrier) {
  const std::uint64_t bytes = barrier.expected > barrier.in_flight ? barrier.expected - barrier.in_flight : 0;
  std::string text = count(barrier.missing, "arrival");
  text += barrier.missing == 0 || bytes != 0 || barrier.expected != 0 ? " and " + count(bytes, "byte") : "";
  return text + (barrier.missing + bytes == 1 ? " is missing" : " are missing");
}

}  // namespace

std::string describe_shared(const Block& block, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto dynamic = reinterpret_cast<std::uintptr_t>(cairn_emu_dynamic_shared());
  if (at - dynamic < kMostShared) return "byte " + number(at - dynamic) + " of dynamic shared memory";
  const auto base = reinterpret_cast<std::uintptr_t>(shared_base());
  for (const SharedArray& array : kernel_facts(block.launch().kernel).shared) {
    const std::uintptr_t in = at - base - array.offset;
    if (base != 0 && in < array.bytes) return "byte " + number(in) + " of " + array.name;
  }
  return is_shared(address) ? "a shared array of a function" : "an address that is not in shared memory";
}

std::string describe_mbarrier_wait(const Block& block, const Thread& thread) {
  const void* address = reinterpret_cast<const void*>(thread.value);
  const Mbarrier* barrier = block.mbarriers().find(address);
  if (barrier == nullptr) return "";
  // The block may be another's, on another OS thread.
  return ", barrier at " + describe_shared(block, shared_at(barrier->offset)) + ", parity " +
         number(thread.argument) + " (" + missing(*barrier) + ")";
}

std::string describe_cluster_wait(const Block& block) {
  if (block.absent_from_cluster() > 0)
    return " (" + count(block.absent_from_cluster(), "thread") + " of the block have not arrived)";
  return block.cluster().size() == 1 ? "" : " (all of the block have arrived)";
}

std::string describe_no_mbarrier(Block& block, const void* address) {
  return caller(block.self()) + ": no thread has initialised " + barrier_at(block, address);
}

std::string describe_bad_mbarrier(Block& block, bool misplaced, unsigned arrivals) {
  return caller(block.self()) + ": " +
         (misplaced ? "a barrier is 8 bytes of shared memory, at a multiple of 8"
                    : "a phase of " + number(arrivals) + " arrivals; it has 1 to 1048575");
}

std::string describe_second_init(Block& block, const Mbarrier& barrier) {
  return caller(block.self()) + ": " + barrier_at(block, barrier.address) + " has been initialised already, at " +
         describe(barrier.init_site);
}

std::string describe_not_ready(Block& block, const Mbarrier& barrier) {
  return caller(block.self()) + ": copies and other blocks do not know of " + barrier_at(block, barrier.address) +
         ", initialised at " + describe(barrier.init_site) + ", until its thread calls fence_mbarrier_init()";
}

std::string describe_too_many_arrivals(Block& block, const Mbarrier& barrier, const Sender* from) {
  const std::string who = from == nullptr ? caller(block.self()) : "an arrival from " + sender(*from);
  const std::string where =
      barrier_at(block, barrier.address) + " (initialised at " + describe(barrier.init_site) + ")";
  if (barrier.missing > 0)
    return who + ": more than the " + count(barrier.missing, "arrival") + " that this phase lacks at " + where;
  return who + ": all of the " + count(barrier.arrivals, "arrival") + " of this phase have arrived at " + where +
         ", " +
         (barrier.copies.empty() ? "which still expects bytes"
                                 : "and no thread has waited for its copies, of which one was issued at " +
                                       describe(barrier.copies.front().site));
}

std::string describe_too_many_bytes(Block& block, const Mbarrier& barrier, std::uint64_t most) {
  return caller(block.self()) + ": " + barrier_at(block, barrier.address) + " is to expect " +
         number(barrier.expected) + " bytes in one phase; it can count " + number(most);
}

std::string describe_unexpected_bytes(Block& block, const Mbarrier& barrier) {
  return caller(block.self()) + ": all arrivals are complete at " + barrier_at(block, barrier.address) +
         ", it expects " + number(barrier.expected) + " bytes, and what has been issued, at " +
         describe(barrier.loads.back().site) + " and before, brings " + number(barrier.in_flight);
}

std::string describe_bad_box(Block& block, BadBox why, const TensorMap& map, int rank, const void* shared) {
  std::string what;
  switch (why) {
    case BadBox::map: what = "the tensor map was not made by make_tensor_map"; break;
    case BadBox::rank:
      what = number(static_cast<unsigned>(rank)) + " coordinates for a tensor map of rank " + number(map.rank);
      break;
    case BadBox::first_coordinate:
      what = "the first coordinate is not at a multiple of 16 bytes, which a GPU reports as an illegal instruction";
      break;
    case BadBox::not_shared: what = "the box is to lie at " + describe_shared(block, shared); break;
    case BadBox::alignment:
      what = "the box begins at " + describe_shared(block, shared) + ", and must begin at a multiple of " +
             number(map.alignment());
      break;
    case BadBox::past_the_end:
      what = "the box of " + number(map.reach()) + " bytes, which begins at " + describe_shared(block, shared) +
             ", reaches past its end";
  }
  return caller(block.self()) + ": " + what;
}

std::string describe_no_peer(Block& block, unsigned rank) {
  return caller(block.self()) + ": there is no block " + number(rank) + " in a cluster of " +
         number(block.cluster().size());
}

LateUse describe_dead_peer(Block& block, unsigned rank) {
  const Thread& thread = block.self();
  return {std::string(thread.call) + " at ", thread.site,
          " in thread " + number(thread.linear) + ": block " + number(rank) +
              " of its cluster has ended, and its shared memory with it; a cluster_sync() must hold it back"};
}

std::string describe_no_cluster_sync(const Thread& thread) {
  return caller(thread) + ": no cluster_sync() before, so the other block may not have begun";
}

std::string describe_remote_no_mbarrier(Block& block, const void* address, const Sender& from) {
  return "no thread has initialised " + barrier_at(block, address) + ", used by " + sender(from);
}

std::string describe_cluster_order(const Thread& thread, bool arrives) {
  return caller(thread) + ": " +
         (arrives ? "a second cluster_arrive() without a cluster_wait()" : "no cluster_arrive() before");
}

std::string describe_unfinished(Block& block, const Mbarrier& barrier) {
  std::string text = "the block ends while " + barrier_at(block, barrier.address) + ", initialised at " +
                     describe(barrier.init_site) + ", ";
  if (!barrier.copies.empty())
    return text + "waits for a copy that is in flight, issued at " + describe(barrier.copies.front().site);
  if (barrier.loads.empty()) return text + "still expects " + number(barrier.expected) + " bytes";
  return text + "waits for a copy that is in flight, issued at " + describe(barrier.loads.front().site);
}

LateUse describe_unread(const Site& store) {
  return {"the block ends while a store still reads its shared memory, issued at ", store,
          ": tma_commit() and tma_wait_read() must come first"};
}

LateUse describe_early_end(Block& block, const Mbarrier& barrier, const Sender& from) {
  return {"the block ends, and nothing makes it wait until " + barrier_at(block, barrier.address) +
              " has been reached by block " + number(from.rank) + " of its cluster, at ",
          from.site, ": a cluster_sync() must hold it back"};
}

}  // namespace cairn::emu
