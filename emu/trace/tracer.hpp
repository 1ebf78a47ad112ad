// One OS thread's tracer: sees every load and store of the block that runs there.
//
//   access      called before each load and store: is it allowed (detect.cpp); then it is logged
//   requests    when the lanes of a warp have come to the same point, their logs are laid side by side: the same
//   place
//               in the code, the same time round, is one request of the warp, and is counted (requests.cpp)
//   races       each request is held against what others have done to the same words (race_requests.cpp, races.cpp)
//   tensor      rows for ldmatrix, and products of tiles (tensor.cpp)
//   mbarriers   barriers in shared memory and clusters, by which they wait too (mbarriers.cpp)
//   bulk        what the copy engine loads and stores (bulk.cpp)
//   proxy       what it and wgmma read of shared memory, and whether they may (proxy.cpp)
//   steps       atomics and volatile accesses, by which threads wait for each other (steps.cpp)
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
#include "emu/trace/read_times.hpp"
#include "emu/trace/vector_clocks.hpp"

namespace cairn::emu {

class Tracer {
 public:
  // Null outside kernels: what host code in a kernel's file does is not looked at.
  static constinit thread_local Tracer* current;

  void begin(Block& block);
  void end();

  [[gnu::always_inline]] void access(std::uintptr_t address, unsigned bytes, bool store, const void* return_address) {
    if (address - stacks_low_ < stacks_bytes_) return;
    const SiteId site = site_at(return_address);
    const unsigned kind = store ? kStore : 0;
    // Sizes are powers of two, and a division takes its time.
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
  [[noreturn]] void register_index(const char* file, unsigned line, std::uint64_t index);

  void fence();
  void arrives(unsigned barrier);
  void warps_meet(unsigned barrier, std::uint32_t waiting, const Site& site);
  void lanes_meet(unsigned warp, std::uint32_t lanes);

  void copy_issued(const AsyncCopy& copy);
  void copy_landed(const AsyncCopy& copy);

  void matrix_row(const void* row, bool store, const Site& where);
  void multiplied(const Multiply& what, const Site& where);
  void group_meets();

  void operand_issued(const void* start, std::size_t bytes, const Site& where);
  void operand_read(const void* start, std::size_t bytes, const Site& where);

  void mbarrier_made(const Mbarrier& barrier);
  void mbarrier_arrives(const Mbarrier& barrier);
  void mbarrier_waited(const Mbarrier& barrier);
  void mbarrier_ends(const Mbarrier& barrier);
  void mbarrier_visited(const Mbarrier& barrier, const Sender& from);
  void cluster_arrives();
  void cluster_met();
  void cluster_heard(const std::vector<std::shared_ptr<const void>>& clocks);
  std::shared_ptr<const void> cluster_departs();
  std::shared_ptr<const void> departs();

  void load_asked(const BulkLoad& load);
  void load_issued(const BulkLoad& load, const Sender* from);
  void load_landed(const BulkLoad& load, const Mbarrier& barrier);
  void store_issued(const BulkStore& store);
  void store_read(const BulkStore& store);
  void proxy_fence();

 private:
  // Bits; kStep: an atomic, kRelaxed: volatile, kCopied: one half of an asynchronous copy, kMatrix: a row of
  // ldmatrix or stmatrix.
  static constexpr unsigned kStore = 1, kShared = 2, kStep = 4, kCopied = 8, kRelaxed = 16, kMatrix = 32;
  struct Entry {
    std::uint64_t address;  // in shared memory: from its start
    std::uint64_t what;     // the rest, as one number to be written and compared at once

    static std::uint64_t pack(SiteId site, unsigned bytes, unsigned kind) {
      return site | std::uint64_t{bytes} << 32 | std::uint64_t{kind} << 40;
    }
    SiteId site() const { return static_cast<SiteId>(what); }
    unsigned bytes() const { return what >> 32 & 0xff; }
    unsigned kind() const { return what >> 40 & 0xff; }
  };
  static_assert(sizeof(Entry) == 16);
  // A thread's accesses since the last meeting. Not a vector: this is written before every access.
  struct Log {
    Entry *next = nullptr, *limit = nullptr;  // where the next one goes; where the storage ends
    std::unique_ptr<Entry[]> storage;
    std::size_t checked = 0;  // so many from the front have been held against what others did

    bool full() const { return next == limit; }
    const Entry* begin() const { return storage.get(); }
    std::size_t size() const { return static_cast<std::size_t>(next - storage.get()); }
    void grow_to(std::size_t capacity);  // keeps what is there
    void drop(std::size_t count);        // from the front
  };
  // A shared array and its shadow.
  struct Array {
    std::uintptr_t start;
    std::size_t bytes;
    std::uint32_t offset;  // in the block's shared memory, as we lay it out
    const char* name;
  };
  // A piece of device memory that was used lately.
  struct Recent {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    Region* region = nullptr;
  };
  // Where an access goes, as the log has it.
  struct Place {
    std::uint64_t address = 0;
    bool shared = false, known = false;
  };
  // The shadow of a word and of those after it.
  struct Words {
    Past* past = nullptr;
    std::uint8_t* written = nullptr;
  };
  // Both.
  struct Target {
    Past* past = nullptr;
    std::uint8_t* written = nullptr;
    std::uint64_t address = 0;
    bool shared = false;
  };

  bool is_local(std::uintptr_t address) const {
    return address - stacks_low_ < stacks_bytes_ || (several_stacks_ && block_->stacks().holds(address));
  }
  SiteId site_at(const void* return_address) const {
    return static_cast<SiteId>(reinterpret_cast<std::uintptr_t>(return_address) - site_base_);
  }
  // detect.cpp
  static bool is_guard(std::uintptr_t offset);  // of a thread_local, in tracer.cpp
  Place find(std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  void access_rarely(std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  void race(const Past& past, bool with_reader, unsigned thread, unsigned kind, SiteId site, std::uint64_t address);
  [[noreturn]] void stop(Caught caught);
  // Whose access is looked at: that of the thread that runs, or one from a log.
  unsigned me() { return judged_ != kNobody ? judged_ : block_->self().linear; }
  std::string who();
  std::uintptr_t real_address(std::uint64_t logged, bool shared) const;
  std::string memory_at(std::uintptr_t address) const;

  // races.cpp
  struct Extent {
    std::uint64_t start, bytes;
    Words first;
  };
  Extent extent_at(std::uint64_t address, bool shared);
  // Whether it is past for all threads of the block, by itself: of an earlier launch, or from before all warps met.
  // What other blocks did to shared memory was in another memory.
  template <bool shared> bool is_past(Mark mark) const {
    const Mark since_mine = mark - mine_;  // very large for what came before
    if (since_mine < clocks_.all()) return true;
    return shared ? since_mine >> 32 != 0 : mark < floor_;
  }
  bool ordered(Mark by, unsigned thread, unsigned me) const;
  bool reads_ordered(const Past& past, unsigned me) const;
  void add_reader(Past& past, unsigned warp);
  void remember_read(Past& past, unsigned thread, bool step, SiteId site);
  void check_word(Past& past, unsigned thread, unsigned kind, SiteId site, std::uint64_t address);
  void check_written(const Words& word, unsigned mask, unsigned thread, unsigned kind, SiteId site,
                     std::uint64_t address);
  Past* bytes_at(std::uint64_t address, bool shared);
  void check_bytes(const Words& word, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind,
                   SiteId site);
  void check_access(Words at, unsigned thread, std::uint64_t address, unsigned bytes, unsigned kind, SiteId site);
  // An access that the running thread makes now and that is not logged; what it logged before must be flushed.
  void check_words(const Target& target, std::uintptr_t address, unsigned bytes, bool store, bool step, SiteId site);

  // race_requests.cpp
  Words words_at(std::uint64_t address, bool shared);
  template <bool shared> bool load_row(const Words& row, unsigned each, unsigned warp, SiteId site);
  template <bool shared> bool store_row(const Words& row, unsigned each, unsigned warp, SiteId site);
  template <bool shared> bool load_word(const Words& at, unsigned thread, SiteId site);
  template <bool shared> bool load_words(const Words& at, unsigned words, unsigned thread, SiteId site);
  template <bool shared> void check_lanes(const Request& request, unsigned kind, SiteId site, unsigned warp);
  void check_request(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp);
  // Checks what a thread has logged so far: before something that dates what it does next.
  void flush(unsigned thread);

  // steps.cpp
  void take(std::uintptr_t address);
  bool catch_up();
  void step(std::uintptr_t address, std::uint64_t logged, std::uint64_t what);
  void poll(std::uintptr_t address, unsigned bytes, SiteId site);

  // tensor.cpp
  struct CallSite {
    const char* file;
    unsigned line;
    SiteId site;
  };
  SiteId site_of_call(const Site& where);

  // async.cpp
  struct CopyEntry {
    std::uint64_t to, from;
    SiteId site;
    std::uint8_t bytes;
    bool reads;
  };
  const Array* shared_array(std::uintptr_t address, unsigned bytes) const;
  Target copy_target(const AsyncCopy& copy, SiteId site);
  Target copy_source(const AsyncCopy& copy, SiteId site);
  std::string writer_name(const Past& past);
  void not_there(const Past& past, std::uint8_t& written, unsigned mask, SiteId site, std::uintptr_t address);
  void count_copies(unsigned warp);

  // mbarriers.cpp
  struct Gate {
    Clocks::Times coming{}, done{};  // of those who have come in this phase, and in all that have ended
    Mark made = 0;
    unsigned maker = 0;
    SiteId site = 0;
  };
  Clocks::Times leave();
  void learn(const Clocks::Times& from);
  void meet_peers(const Clocks::Times& from);
  void check_made(const Mbarrier& barrier);
  std::shared_ptr<const void> send(Clocks::Times left);
  void receive(Clocks::Times& into, const void* clock) const;

  // bulk.cpp
  struct Moved {
    std::uint64_t sectors = 0, bytes = 0;
  };
  Moved move_rows(const TensorMap& map, const Corner& at, bool store, SiteId site);
  void check_row(const Region& region, std::uintptr_t address, unsigned bytes, bool store, SiteId site);
  Target box_target(const void* shared, std::size_t bytes, bool store, SiteId site);
  void check_visit(const Past& past, const Clocks::Times& seen, SiteId site, std::uintptr_t address);
  Bulk& bulk_at(SiteId site);

  // proxy.cpp
  struct Reading {
    std::uint64_t address, bytes;
    std::uint32_t since;
  };
  // What was issued in one go, without an access or an event in between, has one time.
  struct Issued {
    unsigned thread = kNobody;
    std::uint64_t turn = 0;
    std::size_t logged = 0;
    std::uint32_t now = 0;
    bool operator==(const Issued&) const = default;
  };
  bool is_fenced(const Past& past, unsigned thread) const;
  void not_fenced(const Past& past, std::uintptr_t address, const char* reader, SiteId site);
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
  std::size_t drain_aligned(unsigned warp);
  void drain(unsigned warp);
  void take_request(const Request& request, Shape shape, const Entry& like, unsigned warp, std::uint32_t unchecked);
  SiteStats& stats_of(SiteId site);
  void count(const Request& request, Shape shape, unsigned kind, SiteId site, unsigned warp);
  void hand_over();

  static constexpr std::size_t kShortLog = 64;  // all lanes' together stay in the nearest cache
  static constexpr unsigned kNobody = ~0u;
  static constexpr std::size_t kKnownSites = 64;

  // What every access needs comes first.
  Block* block_ = nullptr;
  std::uintptr_t site_base_ = 0;
  std::uintptr_t stacks_low_ = 0, stacks_bytes_ = 0;
  bool several_stacks_ = false;
  bool detect_ = true;
  const Thread* running_ = nullptr;  // whose log this is; found again when another thread runs
  Log* log_ = nullptr;
  std::vector<Log> logs_;
  std::vector<Array> arrays_;
  std::array<Recent, 4> recent_{};
  unsigned next_recent_ = 0;

  unsigned warps_ = 0;
  BlockId launch_ = 0, id_ = 0;
  Mark floor_ = 0, mine_ = 0;  // where the marks of this launch begin, and those of this block
  unsigned judged_ = kNobody;
  Clocks clocks_;
  ReadDates dates_;  // of kDated; forgotten when all warps meet
  bool catches_up_ = true;
  std::unordered_set<BlockId> behind_;                      // blocks that have handed on to this one by an atomic
  std::unordered_map<std::uintptr_t, Clocks::Times> left_;  // by atomics of this block, at their addresses
  struct Fences {
    Clocks::Times seen{};  // by atomics: is the thread's past from its next fence on
    Clocks::Times left{};  // at its last fence: is handed on by its atomics
  };
  std::vector<Fences> fences_;  // by thread; empty if there are none
  // Volatile loads: where, how often, and the text for reports; what each thread saw last at a few addresses.
  struct Poll {
    std::uint64_t times = 0;
    std::string text;
  };
  struct Glance {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
  };
  static constexpr std::size_t kGlances = 8;
  std::unordered_map<SiteId, Poll> polls_;
  std::vector<std::array<Glance, kGlances>> glances_;   // by thread; empty if none polls like that
  std::vector<std::vector<CopyEntry>> logs_of_copies_;  // by thread, since the last meeting; empty if none copies
  std::vector<Gate> gates_;                             // of the barriers in shared memory, by their number
  std::vector<Clocks::Times>
      sent_;  // what was this block's past when it sent something to another; the first: nothing
  std::array<Clocks::Times, 2> cluster_{};  // of those who have come to the cluster's barrier; every other time
  std::uint32_t cluster_meetings_ = 0;
  std::vector<std::vector<std::uint32_t>> proxy_fences_;  // by thread: when; empty if there are none
  std::array<std::deque<Reading>, 8> operands_;           // by warpgroup
  std::deque<Reading> stores_;
  Issued issued_;
  std::vector<Bulk> bulk_;
  std::vector<CallSite> call_sites_;
  std::vector<Products> products_;  // a place has few neighbours
  std::unordered_map<SiteId, SiteStats> stats_;
  struct KnownSite {
    SiteId site = 0;
    SiteStats* stats = nullptr;
  };
  std::array<KnownSite, kKnownSites> known_sites_{};  // of stats_, found without a search

  std::vector<Past> shared_past_;
  std::vector<Past> shared_bytes_past_;  // empty as long as nobody accesses single bytes
  std::vector<std::uint8_t> shared_written_;
  std::uintptr_t locals_low_ = 0, locals_bytes_ = 0;  // this OS thread's thread_local variables
  std::uintptr_t image_low_ = 0, image_bytes_ = 0;    // constants and variables of the program
};

}  // namespace cairn::emu
