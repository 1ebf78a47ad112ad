// A record: what was measured, on what and how, so that its numbers can be computed again from the samples and the
// measurement can be repeated. Everything that the project publishes (docs/ladder.md, the README's table, the trail's
// pages) comes from records under results/.
//
// On disk a record is JSON with a "schema" number. A reader takes its own number and older ones, and refuses a newer
// one; a change that an old reader would misread raises it. docs/records.md lists the keys.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/scalars.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab::record {

inline constexpr int kSchema = 2;

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
  bool summary = false;    // the samples were dropped: rows have summaries instead
};

// Sensor readings of the device during a measurement. 0 or empty where it has no such sensor.
struct Vitals {
  double sm_mhz = 0, sm_mhz_low = 0, sm_mhz_high = 0;  // median, lowest and highest reading
  double power_w = 0, power_w_high = 0;
  double temperature_c = 0;            // the highest
  std::vector<std::string> throttled;  // reasons seen: "power cap", "thermal"

  bool operator==(const Vitals&) const = default;
};

// Statistics of samples that were dropped: what reports and comparisons need of them.
struct Summary {
  std::int64_t count = 0;
  double median_ms = 0, low_ms = 0, high_ms = 0;  // the median and the ends of its 95 % confidence interval
  double min_ms = 0;
  double spread = 0;          // interquartile range over the median
  std::int64_t outliers = 0;  // of `count`
  // Speed against the strongest baseline, the median over the rounds with its interval; no id where there is none.
  std::string baseline_id = {};
  double ratio = 0, ratio_low = 0, ratio_high = 0;
};

// One contender on one problem, with samples or, in a record whose method says so, with a summary. What the samples
// imply (median, TFLOP/s, ratio) is written to the file for readers of the JSON and recomputed by ours: summary.hpp.
struct Row {
  std::string id;    // "simt/04_block_tile"
  std::string work;  // "product", "move", "probe"
  bool baseline = false;
  std::string problem;   // Problem::brief() or Problem::full()
  Scalars scalars = {};  // alpha and beta; of a product
  std::string verified;  // "exact", "bound" where alpha or beta is not exact, "never" of a probe, else what was wrong
  std::string refused;   // why it does not take the problem; nothing below is filled then
  std::string details;   // what exactly ran: a tile, the algorithm a vendor's library chose
  std::string via;       // "graph" or "calls"
  std::int64_t runs = 0;  // in a sample
  std::int64_t sets = 0;  // of matrices, used one after the other
  double host_us = 0;     // of the host in one call
  bool settled = false;
  std::vector<double> samples_ms;          // milliseconds a run; sample i is of round i
  std::optional<Summary> summary;          // instead of samples
  std::vector<double> first;               // the first three values of the timed C
  Vitals vitals;                           // while the problem was measured
  std::map<std::string, double> counters;  // of a profiler, by the names the emulator uses too

  // The result was wrong or not written, or the time was below what the hardware allows. A row that was not reached
  // before a stop has no verdict and has not failed.
  bool failed() const { return !verified.empty() && !stands(); }
  bool timed() const { return refused.empty() && (summary.has_value() || !samples_ms.empty()) && stands(); }

 private:
  bool stands() const { return verified == "exact" || verified == "bound" || verified == "never"; }
};

// A call that takes the host longer than this many microseconds is reported if the device needs less.
inline constexpr double kHostAlarmUs = 100;

// Measured in the same run; 0 or absent where there is no probe for it.
struct Ceilings {
  double fma_tflops = 0;   // probe/fma_peak
  double copy_gbytes = 0;  // probe/copy
  // probe/mma_peak and probe/wgmma_peak, for each measured type that they take: see tensor_type()
  std::map<std::string, double> mma_tflops = {}, wgmma_tflops = {};
};

// A suite drawn by lot (lab/drawn.hpp), from the record's seed.
struct Drawn {
  std::string of_class;  // "general"
  std::int64_t count = 0;

  bool operator==(const Drawn&) const = default;
};

struct Record {
  int schema = kSchema;
  std::string kind;     // "bench"; "host": the samples are the host's part of a call; "profile"
  std::string command;  // repeats it
  std::string created;  // "2026-11-15T05:04:03Z"
  std::uint64_t seed = 1;
  std::optional<Drawn> drawn = {};
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

// The record with each row's samples replaced by their summary. The first values of C are dropped too; all else,
// the date and commit of the measurement included, stays.
Record without_samples(Record record);

// Always in the present schema, one row a line. The text ends in a newline. Samples are kept to a nanosecond.
std::string to_json(const Record& record);

// Throws Error that names `where` and the first thing wrong: not JSON, not a record, a newer schema, a missing or
// misspelt key, a sample that is no positive number, a summary that contradicts itself.
Record from_json(const std::string& text, const std::string& where);

// The text of a record's file; throws Error for one that cannot be read or is larger than any record.
std::string read_text(const std::string& path);

// Reads a file; an unreadable one is an Error too.
Record read(const std::string& path);

}  // namespace cairn::lab::record
