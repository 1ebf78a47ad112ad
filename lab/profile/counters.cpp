#include "lab/profile/counters.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "lab/measure/statistics.hpp"

namespace cairn::lab::profile {
namespace {

using enum Fold;

// Percentages are 0 … 100. A request is one instruction of a warp; sectors are 32 bytes, wavefronts the passes that
// shared memory needs for a request.
constexpr Counter kCounters[] = {
    {"kernel_time_us", "kernel time, µs", "gpu__time_duration.sum", "", sum, 1e-3, 2},
    {"sm_clock_mhz", "SM clock, MHz", "smsp__cycles_elapsed.avg.per_second", "", mean, 1e-6},
    {"registers", "registers a thread", "launch__registers_per_thread", "", most},
    {"shared_bytes", "shared memory a block, bytes",
     "launch__shared_mem_per_block_static+launch__shared_mem_per_block_dynamic", "", most},
    {"occupancy_theoretical", "occupancy possible, %", "sm__maximum_warps_per_active_cycle_pct", "", mean, 1, 1},
    {"occupancy_achieved", "occupancy achieved, %", "sm__warps_active.avg.pct_of_peak_sustained_active", "", mean, 1,
     1},
    {"inst_executed", "instructions of warps", "smsp__inst_executed.sum", "", sum},
    {"fma_pipe", "FMA pipe busy, %", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
     "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", mean, 1, 1},
    {"sm_throughput", "SM throughput, % of peak", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "", mean, 1, 1},
    {"memory_throughput", "memory throughput, % of peak",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "", mean, 1, 1},

    {"global_load_requests", "global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", sum},
    {"global_load_sectors", "global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "", sum},
    {"global_store_requests", "global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "", sum},
    {"global_store_sectors", "global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "", sum},
    {"local_load_sectors", "local load sectors (spills, stack)", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "",
     sum},
    {"local_store_sectors", "local store sectors (spills, stack)", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
     "", sum},

    {"shared_load_requests", "shared load requests", "smsp__inst_executed_op_shared_ld.sum", "", sum},
    {"shared_load_wavefronts", "shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "",
     sum},
    {"shared_load_bank_conflicts", "shared load bank conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "", sum},
    {"shared_store_requests", "shared store requests", "smsp__inst_executed_op_shared_st.sum", "", sum},
    {"shared_store_wavefronts", "shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "",
     sum},
    {"shared_store_bank_conflicts", "shared store bank conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "", sum},

    {"stall_long_scoreboard", "warps waiting for global memory, per issue",
     "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "", mean, 1, 2},
    {"stall_short_scoreboard", "warps waiting for shared memory, per issue",
     "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "", mean, 1, 2},
    {"stall_barrier", "warps waiting at a barrier, per issue",
     "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "", mean, 1, 2},
    {"stall_mio_throttle", "warps held back by the queue to shared memory, per issue",
     "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "", mean, 1, 2},
    {"stall_lg_throttle", "warps held back by the queue to global memory, per issue",
     "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "", mean, 1, 2},
    {"stall_not_selected", "warps ready but not chosen, per issue",
     "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "", mean, 1, 2},

    {"l1_hit_rate", "L1 sectors hit, %", "l1tex__t_sector_hit_rate.pct", "", mean, 1, 1},
    {"l2_hit_rate", "L2 sectors hit, %", "lts__t_sector_hit_rate.pct", "", mean, 1, 1},
    {"dram_bytes_read", "DRAM bytes read", "dram__bytes_read.sum", "dram__bytes_op_read.sum", sum},
    {"dram_bytes_written", "DRAM bytes written", "dram__bytes_write.sum", "dram__bytes_op_write.sum", sum},
};

constexpr std::string_view kTime = "gpu__time_duration.sum";

double product(const std::vector<std::int64_t>& extents) {
  double all = extents.empty() ? 0 : 1;
  for (const std::int64_t extent : extents) all *= static_cast<double>(extent);
  return all;
}

std::optional<double> sum_of(const Launch& launch, std::string_view metrics) {
  double total = 0;
  const auto names = parts(metrics);
  for (const std::string& name : names) {
    const auto found = launch.metrics.find(name);
    if (found == launch.metrics.end()) return {};
    total += found->second;
  }
  return names.empty() ? std::optional<double>{} : total;
}

// Launches whose time is unknown weigh the same.
double weight(const Launch& launch) {
  const auto time = launch.metrics.find(kTime);
  return time == launch.metrics.end() ? 1 : time->second;
}

std::optional<double> fold_one(const Counter& counter, std::span<const Launch> launches) {
  double total = 0, largest = 0, weights = 0;
  for (const Launch& launch : launches) {
    auto value = sum_of(launch, counter.metric);
    if (!value) value = sum_of(launch, counter.otherwise);
    if (!value) return {};
    const double w = counter.fold == mean ? weight(launch) : 1;
    total += w * *value;
    weights += w;
    largest = std::max(largest, *value);
  }
  if (launches.empty() || weights == 0) return {};
  const double folded = counter.fold == sum ? total : counter.fold == most ? largest : total / weights;
  return folded * counter.scale;
}

}  // namespace

std::span<const Counter> counters() { return kCounters; }

const Counter& counter(std::string_view name) {
  for (const Counter& one : kCounters) {
    if (one.name == name) return one;
  }
  throw std::out_of_range("there is no counter " + std::string(name));
}

std::vector<std::string> parts(std::string_view metrics) {
  std::vector<std::string> all;
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('+'), metrics.size());
    all.emplace_back(metrics.substr(0, end));
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
  }
  return all;
}

Values fold(std::span<const Launch> launches) {
  Values values;
  for (const Counter& one : kCounters) {
    if (const auto value = fold_one(one, launches)) values[std::string(one.name)] = *value;
  }
  values["launches"] = static_cast<double>(launches.size());
  double blocks = 0, threads = 0;
  for (const Launch& launch : launches) {
    blocks += product(launch.grid);
    threads = std::max(threads, product(launch.block));
  }
  if (blocks > 0) values["grid_blocks"] = blocks;
  if (threads > 0) values["block_threads"] = threads;
  return values;
}

Values median(const std::vector<Values>& runs) {
  std::map<std::string, std::vector<double>> lists;
  for (const Values& run : runs) {
    for (const auto& [name, value] : run) lists[name].push_back(value);
  }
  Values medians;
  for (const auto& [name, list] : lists) {
    if (list.size() == runs.size()) medians[name] = measure::median(list);
  }
  return medians;
}

}  // namespace cairn::lab::profile
