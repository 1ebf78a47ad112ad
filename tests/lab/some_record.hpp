// A record with numbers small enough to check by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/record/record.hpp"

namespace cairn::lab::record {

// 2e9 operations and 12e6 bytes: 1 ms is 2 TFLOP/s and 12 GB/s.
inline Problem small_product() { return Problem::packed(Type::f32, Op::none, Op::none, 1000, 1000, 1000); }

inline Row some_row(std::string id, const Problem& problem, std::vector<double> samples_ms, bool baseline = false) {
  Row row;
  row.id = std::move(id);
  row.work = "product";
  row.baseline = baseline;
  row.problem = problem.full();
  row.verified = "exact";
  row.via = "graph";
  row.runs = 10;
  row.sets = 3;
  row.host_us = 4.5;
  row.samples_ms = std::move(samples_ms);
  return row;
}

inline Record some_record(std::vector<Row> rows = {some_row("simt/04_block_tile", small_product(), {1, 2, 3})}) {
  Record record;
  record.kind = "bench";
  record.command = "cairn bench --shape 1000";
  record.created = "2026-11-15T05:04:03Z";
  record.seed = 18446744073709551615u;
  record.build = {"0.1.0", "0123456789012345678901234567890123456789", "Release", "GCC 13.3.0", true, false};
  record.machine.kind = runtime::Kind::gpu;
  record.machine.device = 0;
  record.machine.name = "NVIDIA H200";
  record.machine.units = 132;
  record.machine.memory_bytes = 150'109'880'320;
  record.machine.software = "CUDA 13.0";
  record.method = {"cold", 5, 30, 0.005};
  record.ceilings = {50, 4000, {}};
  record.notes = {"cuBLAS 13.1.0"};
  record.rows = std::move(rows);
  return record;
}

}  // namespace cairn::lab::record
