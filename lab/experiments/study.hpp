// The common part of the experiments about single kernels: rungs and variants of them on the same problems, timed in
// interleaved rounds with cuBLAS, and for each kernel what is known of it, from three sources that may be missing:
// the driver (registers, blocks per SM), cuobjdump (the longest loop) and Nsight Compute (counters).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/comparing.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/lab_kernels.hpp"
#include "lab/profile/counters.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab {

struct Studied {
  std::string name;                // "simt/17@1", "lab/vectorize@3"
  std::string tile;                // in words
  Contender* contender = nullptr;  // none in a record
  Problem problem;
  record::Row row = {};
  profile::Values facts = {};  // "registers", "blocks_an_sm", "loop_ffma", "stall_barrier" …

  Timed timed() const;  // in milliseconds; no samples where it was not timed
};

// What to look at.
struct Question {
  std::vector<std::string> rungs;          // patterns: "simt/04", "simt/17@*"
  std::string card;                        // of the experiment's own kernels: "lab/vectorize"
  std::vector<Shape> shapes;               // the first has the experiment's own kernels and the counters,
                                           // the others have the rungs alone
  std::vector<std::string_view> counters;  // none: the profiler is not asked
};

// A fact as a column of the table.
struct Shown {
  std::string key, title;
  int decimals = 0;
  Audience audience = Audience::all;  // machines: in the record alone, for the conclusions drawn from it
};

class Study {
 public:
  // Throws Error where there is nothing to be timed; sizes that are no multiples of 128 are a usage error, since the
  // experiments' own kernels have no edges.
  Study(const Question& question, const Conditions& conditions);
  // What a record has of one: its rows were verified and timed, and their numbers are facts.
  explicit Study(const record::LabRecord& record);

  // Times the kernels, then collects facts. notes() says which sources were missing.
  void run(const Conditions& conditions);

  const std::vector<Studied>& all() const { return all_; }
  std::vector<Problem> problems() const;  // each once, in order
  // To add facts that follow from others.
  void each(const std::function<void(Studied&)>& f);
  const std::vector<std::string>& notes() const { return notes_; }
  // By name, at one of the sizes; null where there is none or it was not timed.
  const Studied* find(std::string_view name, const Problem& problem) const;

  // Times, percentage of cuBLAS's speed, and these facts; a fact that no kernel has gets no column.
  Table table(const std::vector<Shown>& shown) const;
  // The heading, failures as alarms, the table, and what was concluded.
  Findings findings(const std::vector<Shown>& shown, std::vector<std::string> conclusions) const;

 private:
  void add(Contender& contender, const Problem& problem);
  void time_all(const Conditions& conditions);
  void look_at_kernels();
  void read_code(const Conditions& conditions);
  void count(const Conditions& conditions);
  double cublas_ms(const Problem& problem) const;  // 0 where there is none

  Question question_;
  std::string machine_;  // in words
  Contenders rungs_;
  Contenders own_;
  std::vector<Studied> all_;
  std::vector<std::string> kernels_;  // of all_, mangled; empty where it is not known
  std::vector<std::string> notes_;
};

// "simt/17@1" for "simt/17_warp_tile_vec4@1".
std::string study_name(std::string_view id);

// Columns that every study has: registers, spills, shared memory, blocks, and the longest loop.
std::vector<Shown> kernel_columns();

}  // namespace cairn::lab
