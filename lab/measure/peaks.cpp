#include "lab/measure/peaks.hpp"

#include <algorithm>
#include <string_view>

#include "lab/measure/work.hpp"

namespace cairn::lab::measure {
namespace {

// Dense, no sparsity, as the vendor's datasheets state them; 0 where a device has no such unit. TFLOP/s, TB/s.
struct Datasheet {
  std::string_view name;  // as the driver reports it
  double f64, f32, tf32, f16, e4m3, bytes;
};
constexpr Datasheet kDatasheets[] = {
    {"NVIDIA H200", 67, 67, 494.7, 989.4, 1978.9, 4.8},
    {"NVIDIA H100 80GB HBM3", 67, 67, 494.7, 989.4, 1978.9, 3.35},
    {"NVIDIA H100 PCIe", 51, 51, 378, 756, 1513, 2.0},
    {"NVIDIA A100-SXM4-80GB", 19.5, 19.5, 156, 312, 0, 2.039},
    {"NVIDIA A100-SXM4-40GB", 19.5, 19.5, 156, 312, 0, 1.555},
    {"NVIDIA A100 80GB PCIe", 19.5, 19.5, 156, 312, 0, 1.935},
    {"NVIDIA A100-PCIE-40GB", 19.5, 19.5, 156, 312, 0, 1.555},
};

// Operations of one SM in one cycle, by its fastest unit for the type.
struct PerCycle {
  int arch;
  double f64, f32, tf32, f16, e4m3;
};
constexpr PerCycle kPerCycle[] = {
    {80, 128, 128, 1024, 2048, 0},
    {86, 4, 256, 512, 1024, 0},
    {89, 4, 256, 512, 1024, 2048},
    {90, 256, 256, 2048, 4096, 8192},
};

// The column that a problem's products belong to. A split product is computed as several in tf32, so that is its
// limit.
template <class Table> double rate(const Table& row, const Problem& p) {
  switch (p.in) {
    case Type::f64: return row.f64;
    case Type::f32: return p.compute == Compute::native ? row.f32 : row.tf32;
    case Type::f16:
    case Type::bf16: return row.f16;
    case Type::e4m3: break;
  }
  return row.e4m3;
}

const Datasheet* datasheet(const runtime::Facts& facts) {
  const auto* found = std::ranges::find(kDatasheets, facts.name, &Datasheet::name);
  return found == std::end(kDatasheets) ? nullptr : found;
}

}  // namespace

std::optional<double> datasheet_flops(const runtime::Facts& facts, const Problem& problem) {
  const Datasheet* sheet = datasheet(facts);
  if (sheet == nullptr || rate(*sheet, problem) == 0) return {};
  return 1e12 * rate(*sheet, problem);
}

std::optional<double> datasheet_bytes(const runtime::Facts& facts) {
  const Datasheet* sheet = datasheet(facts);
  if (sheet == nullptr) return {};
  return 1e12 * sheet->bytes;
}

double floor_ms(const runtime::Facts& facts, const Problem& problem, Work work, bool hot) {
  double seconds = 0;
  const auto* cycle = std::ranges::find(kPerCycle, facts.arch, &PerCycle::arch);
  if (work != Work::move && cycle != std::end(kPerCycle) && rate(*cycle, problem) > 0 && facts.clock_mhz > 0) {
    seconds = flops(problem) / (rate(*cycle, problem) * facts.units * facts.clock_mhz * 1e6);
  }
  if (work != Work::probe && !hot && facts.memory_rate > 0) {
    // Only inputs count: writes may still be in the cache when the time is taken, cold reads cannot be.
    const double written = static_cast<double>(problem.batch * size_of(problem.out)) *
                           static_cast<double>(problem.m) * static_cast<double>(problem.n);
    seconds = std::max(seconds, (bytes(problem, work) - written) / facts.memory_rate);
  }
  return 1e3 * seconds;
}

}  // namespace cairn::lab::measure
