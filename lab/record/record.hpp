// A record: everything a measurement was, so that its numbers can be believed, recomputed and measured again. What is
// published (the README's table, the trail's pages) is generated from records under results/.
//
// On disk a record is JSON with a "schema" number. A reader takes its own number and older ones, and refuses a newer
// one; a change that an old reader would misread raises it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/runtime.hpp"

namespace cairn::lab::record {

inline constexpr int kSchema = 1;

struct Build {
  std::string version;   // of Cairn
  std::string commit;    // 40 hex digits; "+changes" follows where the tree had some; "unknown"
  std::string type;      // "Release"
  std::string compiler;  // "GCC 13.3.0"
  bool cuda = false, openblas = false;
};

// How the samples were taken.
struct Method {
  std::string cache;       // "cold" or "hot"
  double seconds = 0;      // the most one contender was given on one problem
  int at_least = 0;        // samples, and
  double precision = 0;    // relative error of the median that counts as settled
  bool sustained = false;  // long samples, with clock and power settled before the first: see measure::sustained()
};

// What the device did meanwhile. 0 or empty where it does not say.
struct Vitals {
  double sm_mhz = 0, sm_mhz_low = 0, sm_mhz_high = 0;  // median, lowest and highest reading
  double power_w = 0, power_w_high = 0;
  double temperature_c = 0;            // the highest
  std::vector<std::string> throttled;  // reasons seen: "power cap", "thermal"
};

// One contender on one problem. What the samples imply (median, TFLOP/s, ratio) is written beside them for readers of
// the JSON, and computed from them by ours: see summary.hpp.
struct Row {
  std::string id;    // "simt/04_block_tile"
  std::string work;  // "product", "move", "probe"
  bool baseline = false;
  std::string problem;    // Problem::full()
  std::string verified;   // "exact", "never" of a probe, else what was wrong
  std::string refused;    // why it does not take the problem; nothing below is filled then
  std::string details;    // what exactly ran: a tile, the algorithm a vendor's library chose
  std::string via;        // "graph" or "calls"
  std::int64_t runs = 0;  // in a sample
  std::int64_t sets = 0;  // of matrices, walked in a ring
  double host_us = 0;     // of the host in one call
  bool settled = false;
  std::vector<double> samples_ms;          // milliseconds a run; sample i is of round i
  std::vector<double> first;               // the first three values of the timed C
  Vitals vitals;                           // while the problem was measured
  std::map<std::string, double> counters;  // of a profiler, by the names the emulator uses too

  // Wrong, unwritten, or faster than the hardware allows. One that was never reached has no verdict.
  bool failed() const { return !verified.empty() && verified != "exact" && verified != "never"; }
  bool timed() const {
    return refused.empty() && !samples_ms.empty() && (verified == "exact" || verified == "never");
  }
};

// The host's time in a call, in microseconds, from which on it is told when the device needs less.
inline constexpr double kHostAlarmUs = 100;

// Measured in the same run; 0 or absent where there is no probe for it.
struct Ceilings {
  double fma_tflops = 0;   // probe/fma_peak
  double copy_gbytes = 0;  // probe/copy
  // probe/mma_peak and probe/wgmma_peak, for each type that was asked for and that they take: see tensor_type()
  std::map<std::string, double> mma_tflops = {}, wgmma_tflops = {};
};

struct Record {
  int schema = kSchema;
  std::string kind;     // "bench"; "host": the samples are the host's part of a call; "profile"
  std::string command;  // repeats it
  std::string created;  // "2026-11-15T05:04:03Z"
  std::uint64_t seed = 1;
  Build build;
  runtime::Facts machine;
  Method method;
  Ceilings ceilings;
  std::vector<std::string> notes;  // "cuBLAS 13.1.0"; "interrupted"
  std::vector<Row> rows;           // problem by problem
};

// This build.
Build this_build();

// The present moment as `created` has it.
std::string now();

// The text ends in a newline. Samples are kept to a nanosecond.
std::string to_json(const Record& record);

// Throws Error that names `where` and the first thing wrong: not JSON, not a record, a newer schema, a missing or
// misspelt key, a sample that is no positive number.
Record from_json(const std::string& text, const std::string& where);

// Reads a file; an unreadable one is an Error too.
Record read(const std::string& path);

}  // namespace cairn::lab::record
