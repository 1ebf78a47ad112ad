// One OS thread's tracer: records and checks every load and store of the block that runs there.
//
//   callbacks.cpp      called before each load and store: calls access()
//   access_check.cpp   whether an access is allowed: bounds and alignment; the text of findings
//   requests.cpp       when a warp synchronizes, the logs of its lanes become requests, which are counted:
//                      accesses by the same instruction in the same iteration
//   merged_loads.cpp   which of the loads from shared memory a compiler makes one of
//   race_requests.cpp  race and initialization checks of a request as a whole, where its words have equal histories
//   races.cpp          the same checks, word by word
//   atomics.cpp        atomics, fences and volatile accesses
//   local_arrays.cpp   accesses past the end of a local array
//   absent_lanes.cpp   shuffles from lanes that are not there
//   async_copy.cpp     cp.async
//   mma.cpp            mma, wgmma, ldmatrix and stmatrix
//   mbarriers.cpp      mbarriers and clusters
//   tma.cpp            TMA loads and stores
//   proxy.cpp          reads by TMA and wgmma through the async proxy
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emu/machine/block.hpp"
#include "emu/trace/access_history.hpp"
#include "emu/trace/collector.hpp"
#include "emu/trace/guard.hpp"
#include "emu/trace/merged_loads.hpp"
#include "emu/trace/read_times.hpp"
#include "emu/trace/vector_clocks.hpp"

namespace cairn::emu {

class Tracer {
 public:
  // Null outside kernels, so that host code in a kernel's file is not traced.
  static constinit thread_local Tracer* current;

  void begin(Block& block);
  void end();

  [[gnu::always_inline]] void access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
    if (address - stacks_low_ < stacks_bytes_) {
      if (touches_guard(address, bytes)) [[unlikely]]
        check_guard(address, bytes, store, return_address);
      return;
    }
    const SiteId site = site_at(return_address);
    const unsigned kind = store ? kStore : 0;
    // Sizes are powers of two, so no division.
    if ((address & (bytes - 1)) != 0) [[unlikely]]
      return access_rarely(address, bytes, store, site);
    for (const Array& array : arrays_) {
      const std::uintptr_t in = address - array.start;
      if (in + bytes <= array.bytes && in < array.bytes)
        return log(array.offset + in, Entry::pack(site, bytes, kind | kShared));
    }
    for (const Recent& recent : recent_) {
      const std::uintptr_t in = address - recent.start;
      if (in + bytes <= recent.bytes && in < recent.bytes) return log(address, Entry::pack(site, bytes, kind));
    }
    access_rarely(address, bytes, store, site);
  }
  void volatile_access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address);
  void atomic(std::uintptr_t address, unsigned bytes, const Site& site);
  void relaxed(std::uintptr_t address, unsigned bytes, bool store, const Site& site);
  [[noreturn]] void register_index(const char* file, unsigned line, std::uint64_t index, const char* array);
  [[noreturn]] void local_array_smashed(const void* return_address);

  void fence();
  void arrives(unsigned barrier);
  void warps_synchronize(unsigned barrier, std::uint32_t waiting, const Site& site);
  void lanes_synchronize(unsigned warp, std::uint32_t lanes);
  void grid_synchronized();
  void source_absent(const Thread& reader);

  void copy_issued(const AsyncCopy& copy);
  void copy_landed(const AsyncCopy& copy, const Mbarrier* barrier);

  void matrix_row(const void* row, bool store, const Site& where);
  void mma_executed(const Multiply& what, const Site& where);
  void warpgroup_synchronizes();

  void operand_issued(const void* start, std::size_t bytes, const Site& where);
  void operand_read(const void* start, std::size_t bytes, const Site& where);

  void mbarrier_initialized(const Mbarrier& barrier);
  void mbarrier_used(const Mbarrier& barrier);
  void mbarrier_arrives(const Mbarrier& barrier);
  void mbarrier_waited(const Mbarrier& barrier);
  void mbarrier_phase_completed(const Mbarrier& barrier);
  void mbarrier_remote_arrival(const Mbarrier& barrier, const Sender& from);
  void cluster_arrival();
  void cluster_acquire();
  void cluster_phase_completed(const std::vector<std::shared_ptr<const void>>& clocks);
  std::shared_ptr<const void> cluster_release();
  std::shared_ptr<const void> release_clock();

  void tma_load_issued(const TmaLoad& load);
  void tma_write_begins(const TmaLoad& load, const Sender* from);
  void tma_write_ends(const TmaLoad& load, const Mbarrier& barrier);
  void tma_store_issued(const TmaStore& store);
  void tma_store_read(const TmaStore& store);
  void proxy_fence();

 private:
  // The kind of an access, as bits. kRelaxed: volatile, or an atomic load or store. kCopied: of an asynchronous copy.
  // kMatrix: a row of ldmatrix or stmatrix.
  static constexpr unsigned kStore = 1, kShared = 2, kAtomicAccess = 4, kCopied = 8, kRelaxed = 16, kMatrix = 32;
  struct Entry {
    std::uint64_t address;  // in shared memory: the offset
    std::uint64_t what;     // site, bytes and kind, packed so that one store writes and one comparison compares them

    static std::uint64_t pack(SiteId site, unsigned bytes, unsigned kind) {
      return site | std::uint64_t{bytes} << 32 | std::uint64_t{kind} << 40;
    }
    SiteId site() const { return static_cast<SiteId>(what); }
    unsigned bytes() const { return what >> 32 & 0xff; }
    unsigned kind() const { return what >> 40 & 0xff; }
  };
  static_assert(sizeof(Entry) == 16);
  // A thread's accesses since its warp last synchronized. Not a vector: an entry is written before every access.
  struct Log {
    Entry *next = nullptr, *limit = nullptr;  // where the next entry goes; the end of the storage
    std::unique_ptr<Entry[]> storage;
    std::size_t checked = 0;  // entries from the front that have been checked for races

    bool full() const { return next == limit; }
    const Entry* begin() const { return storage.get(); }
    std::size_t size() const { return static_cast<std::size_t>(next - storage.get()); }
    std::size_t capacity() const { return static_cast<std::size_t>(limit - storage.get()); }
    void grow_to(std::size_t capacity);  // keeps the entries
    void drop(std::size_t count);        // from the front
  };
  struct Array {  // in shared memory
    std::uintptr_t start;
    std::size_t bytes;
    std::uint32_t offset;  // in the block's shared memory, as the tracer lays it out
    const char* name;
  };
  struct Recent {  // a device allocation that was accessed recently
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    Region* region = nullptr;
  };
  // The address of an access, as it is logged.
  struct Place {
    std::uint64_t address = 0;
    bool shared = false, known = false;
  };
  // The history of a word and of those after it.
  struct Words {
    AccessHistory* history = nullptr;
    std::uint8_t* written = nullptr;
  };
  struct Target : Words {
    std::uint64_t address = 0;
    bool shared = false;
  };

  bool is_local(std::uintptr_t address) const {
    return address - stacks_low_ < stacks_bytes_ || (several_stacks_ && block_->stacks().holds(address));
  }
  // local_arrays.cpp
  void check_guard(std::uintptr_t address, unsigned bytes, bool store, const void* return_address);

  SiteId site_at(const void* return_address) const {
    return static_cast<SiteId>(reinterpret_cast<std::uintptr_t>(return_address) - site_base_);
  }
  // access_check.cpp
  static bool is_guard(std::uintptr_t offset);  // an initialization guard of a thread_local; in tracer.cpp
  Place find(std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  void access_rarely(std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  void race(const AccessHistory& history, bool with_reader, unsigned thread, unsigned kind, SiteId site,
            std::uint64_t address);
  [[noreturn]] void stop(RawFinding caught);
  // The thread whose access is checked: the running one, or that of a log entry.
  unsigned me() { return checked_thread_ != kNobody ? checked_thread_ : block_->self().linear; }
  std::string who();
  std::uintptr_t real_address(std::uint64_t logged, bool shared) const;
  std::string memory_at(std::uintptr_t address) const;

  // races.cpp
  struct Extent {
    std::uint64_t start, bytes;
    Words first;
  };
  Extent extent_at(std::uint64_t address, bool shared);
  // Whether an access happens before whatever any thread of the block does now, by its time alone: it
  // is of an earlier launch, or from before all warps last synchronized. In shared memory, other
  // blocks' accesses do not matter.
  template <bool shared> bool is_past(Mark mark) const {
    const Mark since_mine = mark - mine_;  // wraps around for earlier blocks
    if (since_mine < clocks_.all()) return true;
    return shared ? since_mine >> 32 != 0 : mark < floor_;
  }
  bool ordered(Mark by, unsigned thread, unsigned me) const;
  bool reads_ordered(const AccessHistory& history, unsigned me) const;
  void add_reader(AccessHistory& history, unsigned warp);
  void remember_read(AccessHistory& history, unsigned thread, bool step, SiteId site);
  void check_word(AccessHistory& history, unsigned thread, unsigned kind, SiteId site, std::uint64_t address);
  void check_written(const Words& word, unsigned mask, unsigned thread, unsigned kind, SiteId site,
                     std::uint64_t address);
  AccessHistory* byte_histories_at(std::uint64_t address, bool shared);
  void check_bytes(const Words& word, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                   SiteId site);
  void check_access(Words at, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind, SiteId site);
  // An access that the running thread makes now and that is not logged. Its log must have been flushed.
  void check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step, SiteId site);

  // race_requests.cpp
  Words words_at(std::uint64_t address, bool shared);
  template <bool shared> bool load_row(const Words& row, unsigned each, unsigned warp, SiteId site);
  template <bool shared> bool store_row(const Words& row, unsigned each, unsigned warp, SiteId site);
  template <bool shared> bool load_word(const Words& at, unsigned thread, SiteId site);
  template <bool shared> bool load_words(const Words& at, unsigned words, unsigned thread, SiteId site);
  template <bool shared> void check_lanes(const Request& request, unsigned kind, SiteId site, unsigned warp);
  void check_request(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp);
  // Checks what a thread has logged so far: before an event that gives its next accesses another time.
  void flush(unsigned thread);

  // atomics.cpp
  void take(std::uintptr_t address);
  bool catch_up();
  void order_by_variable(std::uintptr_t address);
  void step(std::uintptr_t address, std::uint64_t logged, std::uint64_t what);
  void poll(std::uintptr_t address, unsigned bytes, SiteId site);

  // mma.cpp
  struct CallSite {
    const char* file;
    unsigned line;
    SiteId site;
  };
  SiteId site_of_call(const Site& where);

  // async_copy.cpp
  struct CopyEntry {
    std::uint64_t to, from;
    SiteId site;
    std::uint8_t bytes;
    bool reads;
  };
  const Array* shared_array(std::uintptr_t address, unsigned bytes) const;
  void add_array(std::uintptr_t start, std::size_t bytes, const char* name);
  bool take_in(std::uintptr_t address);
  Target copy_target(const AsyncCopy& copy, SiteId site);
  Target copy_source(const AsyncCopy& copy, SiteId site);
  std::string writer_name(const AccessHistory& history);
  void complete(const Target& target, std::uintptr_t to, unsigned bytes, SiteId site, Mark when, unsigned writer,
                const std::string& what);
  void not_written(const AccessHistory& history, std::uint8_t& written, unsigned mask, SiteId site,
                   std::uintptr_t address);
  void count_copies(unsigned warp);

  // mbarriers.cpp
  struct MbarrierClock {
    VectorClocks::VectorClock arriving{}, completed{};  // released by arrivals in this phase; in all completed phases
    Mark made = 0;
    unsigned init_thread = 0;
    SiteId site = 0;
    bool copied = false;  // threads' copies were tied to it, so it is none of TMA
  };
  VectorClocks::VectorClock release();
  void acquire(const VectorClocks::VectorClock& from);
  void acquire_peers(const VectorClocks::VectorClock& from);
  void check_initialized(const Mbarrier& barrier);
  std::shared_ptr<const void> send(VectorClocks::VectorClock left);
  void receive(VectorClocks::VectorClock& into, const void* clock) const;

  // tma.cpp
  struct Moved {
    std::uint64_t sectors = 0, bytes = 0;
  };
  static std::uint16_t tma_thread_of(const Mbarrier& barrier);
  Moved move_rows(const TensorMap& map, const Corner& at, bool store, SiteId site);
  void check_row(const Region& region, std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  Target box_target(const void* shared, std::size_t bytes, bool store, SiteId site);
  void check_remote_write(const AccessHistory& history, const VectorClocks::VectorClock& seen, SiteId site,
                          std::uintptr_t address);
  TmaCounters& tma_counters_at(SiteId site);

  // proxy.cpp
  struct Reading {
    std::uint64_t address, bytes;
    std::uint32_t since;
  };
  // Operands issued one after another, without an access or an event in between, have the same time.
  struct Issued {
    unsigned thread = kNobody;
    std::uint64_t turn = 0;
    std::size_t logged = 0;
    std::uint32_t now = 0;
    bool operator==(const Issued&) const = default;
  };
  bool is_fenced(const AccessHistory& history, unsigned thread) const;
  void not_fenced(const AccessHistory& history, std::uintptr_t address, const char* reader, SiteId site);
  void check_proxy(const Words& word, std::uint64_t address, const char* reader, SiteId site);
  void reading_begins(std::deque<Reading>& all, const Target& target, std::size_t bytes, const char* reader,
                      SiteId site);
  void reading_ends(std::deque<Reading>& all, const Target& target, std::size_t bytes, const char* reader,
                    SiteId site);

  // requests.cpp
  [[gnu::always_inline]] void log(std::uint64_t address, std::uint64_t what) {
    if (const Thread* self = &block_->self(); self != running_) [[unlikely]]
      running_ = self, log_ = &logs_[self->linear];
    *log_->next++ = {address, what};
    if (log_->full()) [[unlikely]]
      full();
  }
  void full();
  void grow_logs(unsigned warp, std::size_t capacity);
  std::size_t drain_aligned(unsigned warp);
  void drain(unsigned warp);
  void take_request(const Request& request, Shape shape, const Entry& like, unsigned warp, std::uint32_t unchecked);
  SiteStats& stats_of(SiteId site);
  void count(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp);
  void merge(const Request& request, unsigned kind, SiteId site, unsigned warp);
  void count_merged();
  void hand_over();

  static constexpr std::size_t kShortLog = 64;  // the logs of a warp fit into the L1 cache
  static constexpr unsigned kNobody = ~0u;
  static constexpr std::size_t kKnownSites = 64;

  // What access() needs comes first.
  Block* block_ = nullptr;
  std::uintptr_t site_base_ = 0;
  std::uintptr_t stacks_low_ = 0, stacks_bytes_ = 0;
  bool several_stacks_ = false;
  bool detect_ = true, merge_ = false;
  const Thread* running_ = nullptr;  // the thread that log_ belongs to
  Log* log_ = nullptr;
  std::vector<Log> logs_;
  std::vector<Array> arrays_;
  std::array<Recent, 4> recent_{};
  unsigned next_recent_ = 0;

  unsigned warps_ = 0;
  BlockId launch_ = 0, id_ = 0;
  Mark floor_ = 0, mine_ = 0;  // the first mark of this launch, and of this block
  unsigned checked_thread_ = kNobody;
  VectorClocks clocks_;
  ReadTimes read_times_;  // of kTimesDiffer; cleared when all warps synchronize
  bool catches_up_ = true;
  std::unordered_set<BlockId> predecessors_;  // blocks that happen before this one, by atomics
  std::unordered_map<std::uintptr_t, VectorClocks::VectorClock>
      left_;  // released by this block's atomics, by address
  struct Fences {
    VectorClocks::VectorClock seen{};  // acquired by atomics; takes effect at the thread's next fence
    VectorClocks::VectorClock left{};  // at its last fence; released by its next atomics
  };
  std::vector<Fences> fences_;  // by thread; empty until there is one
  // Volatile loads, by site, with a text for reports; and the last values that each thread has read.
  struct Poll {
    std::uint64_t times = 0;
    std::string text;
  };
  struct LastSeen {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
  };
  static constexpr std::size_t kLastSeen = 8;
  std::unordered_map<SiteId, Poll> polls_;
  std::vector<std::array<LastSeen, kLastSeen>> last_seen_;  // by thread; empty until one polls by volatile loads
  std::vector<std::vector<CopyEntry>> logs_of_copies_;      // by thread, since its warp last synchronized
  std::vector<MbarrierClock> mbarrier_clocks_;              // by the mbarrier's number
  std::vector<VectorClocks::VectorClock> sent_;  // by message to other blocks: this block's clock then; [0]: none
  std::array<VectorClocks::VectorClock, 2> cluster_{};  // released at the cluster's barrier, in even and odd phases
  std::uint32_t cluster_phase_ = 0;
  std::vector<std::vector<std::uint32_t>> proxy_fences_;  // by thread: their times; empty until there is one
  std::array<std::deque<Reading>, 8> operands_;           // by warpgroup
  std::deque<Reading> stores_;
  Issued issued_;
  std::vector<TmaCounters> tma_counters_;
  std::vector<CallSite> call_sites_;
  std::vector<Products> products_;  // few, so searched linearly
  std::unordered_map<SiteId, SiteStats> stats_;
  struct KnownSite {
    SiteId site = 0;
    SiteStats* stats = nullptr;
  };
  std::array<KnownSite, kKnownSites> known_sites_{};  // a cache of stats_
  std::vector<MergedLoads> merged_loads_;             // by warp
  std::vector<MergedLoads::Load> merged_;             // complete, and not yet counted

  std::vector<AccessHistory> shared_history_;
  std::vector<AccessHistory> shared_byte_history_;  // empty until single bytes are accessed
  std::vector<std::uint8_t> shared_written_;
  std::uintptr_t locals_low_ = 0, locals_bytes_ = 0;  // this OS thread's thread_local variables
  std::uintptr_t image_low_ = 0, image_bytes_ = 0;    // constants and variables of the program
};

}  // namespace cairn::emu
