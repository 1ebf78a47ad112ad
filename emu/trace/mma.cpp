// Tensor-core instructions. The rows of ldmatrix are loads of the lanes that pass their addresses, logged like any
// other load; the lanes synchronize right after, so these loads are ordered by what precedes the call. The rows of
// stmatrix are stores after the lanes have synchronized.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

// Looked up for every such call and every copy; a kernel has few call sites, so a linear search is fast.
SiteId Tracer::site_of_call(const Site& where) {
  for (const CallSite& known : call_sites_) {
    if (known.file == where.file_name() && known.line == where.line()) return known.site;
  }
  call_sites_.push_back({where.file_name(), where.line(), emu::site_of(where)});
  return call_sites_.back().site;
}

void Tracer::matrix_row(const void* row, bool store, const Site& where) {
  const SiteId site = site_of_call(where);
  const Place at = find(reinterpret_cast<std::uintptr_t>(row), 16, store, site);
  if (at.shared) log(at.address, Entry::pack(site, 16, kShared | kMatrix | (store ? kStore : 0)));
}

// After wgmma_wait the operands have been read, for every thread of the warpgroup, so its four warps synchronize
// here. CUDA orders nothing else by it: a missing barrier between these warps may go unnoticed.
void Tracer::warpgroup_synchronizes() {
  const unsigned first = block_->self().linear / (4 * kWarp) * 4;
  for (unsigned warp = first; warp < first + 4; ++warp) drain(warp), count_copies(warp);
  clocks_.warps_synchronize(0xfu << first);
  if (clocks_.level()) read_times_.clear();
}

void Tracer::mma_executed(const Multiply& what, const Site& where) {
  const SiteId site = site_of_call(where);
  const auto [m, n, k] = what.kind.shape;
  auto at = products_.begin();
  while (at != products_.end() && at->site != site) ++at;
  if (at == products_.end()) at = products_.insert(at, {site, 0, 0});
  const bool group = what.kind.op == fragment::Op::wgmma;
  at->instructions +=
      static_cast<std::uint64_t>(group ? 1 : std::max(m * n / (16 * 8), 1) * (k / fragment::depth(what.kind)));
  at->flops += static_cast<std::uint64_t>(2 * m * n * k);
}

}  // namespace cairn::emu
