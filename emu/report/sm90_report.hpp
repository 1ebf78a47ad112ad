// The text of error reports about mbarriers, TMA and clusters.
#pragma once

#include <string>

#include "emu/sm90/late_use.hpp"
#include "emu/sm90/tma.hpp"

namespace cairn::emu {

class Block;
struct Mbarrier;
struct Sender;
struct Thread;

// "byte 8 of kernel::full", "byte 0 of dynamic shared memory": in the calling block.
std::string describe_shared(const Block& block, const void* address);
// What a thread that waits at an mbarrier, or at the cluster's barrier, waits for.
std::string describe_mbarrier_wait(const Block& block, const Thread& thread);

std::string describe_cluster_wait(const Block& block);

std::string describe_no_mbarrier(Block& block, const void* address);
std::string describe_bad_mbarrier(Block& block, bool misplaced, unsigned arrivals);
std::string describe_second_init(Block& block, const Mbarrier& barrier);
std::string describe_not_ready(Block& block, const Mbarrier& barrier);
// `from` is null if the calling thread arrives.
std::string describe_too_many_arrivals(Block& block, const Mbarrier& barrier, const Sender* from);
std::string describe_too_many_bytes(Block& block, const Mbarrier& barrier, std::uint64_t most);
std::string describe_unexpected_bytes(Block& block, const Mbarrier& barrier);

// Why TMA cannot copy a box.
enum class BadBox : std::uint8_t { map, rank, first_coordinate, not_shared, alignment, past_the_end };
std::string describe_bad_box(Block& block, BadBox why, const TensorMap& map, int rank, const void* shared);

// Another block of the cluster that does not exist, has ended, or may not have begun.
std::string describe_no_peer(Block& block, unsigned rank);
LateUse describe_dead_peer(Block& block, unsigned rank);
std::string describe_no_cluster_sync(const Thread& thread);
std::string describe_remote_no_mbarrier(Block& block, const void* address, const Sender& from);
std::string describe_cluster_order(const Thread& thread, bool arrives);

// A block that ends too early.
std::string describe_unfinished(Block& block, const Mbarrier& barrier);
LateUse describe_unread(const Site& store);
LateUse describe_early_end(Block& block, const Mbarrier& barrier, const Sender& from);

}  // namespace cairn::emu
