// What a warp does as one. The rows that ldmatrix reads are loads of the lanes that name them, logged as any other;
// they meet the other lanes right after, so what they read is ordered by what came before the call. Those of stmatrix
// are stores that they make after they have met.
#include "emu/trace/tracer.hpp"

namespace cairn::emu {

// Asked for at every call of these and at every copy, and a kernel has few places that make them.
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

// What wgmma has read is over for every thread that has waited, so the four warps meet. That CUDA orders nothing else
// by it is not looked for: a barrier that is missing between them may be missed here.
void Tracer::group_meets() {
  const unsigned first = block_->self().linear / (4 * kWarp) * 4;
  for (unsigned warp = first; warp < first + 4; ++warp) drain(warp), count_copies(warp);
  clocks_.warps_meet(0xfu << first);
  if (clocks_.level()) dates_.clear();
}

void Tracer::multiplied(const Multiply& what, const Site& where) {
  const SiteId site = site_of_call(where);
  const auto [m, n, k] = what.kind.shape;
  auto at = products_.begin();
  while (at != products_.end() && at->site != site) ++at;
  if (at == products_.end()) at = products_.insert(at, {site, 0, 0});
  const bool group = what.kind.op == fragment::Op::wgmma;
  at->instructions += static_cast<std::uint64_t>(group ? 1 : m * n / (16 * 8) * (k / fragment::depth(what.kind)));
  at->flops += static_cast<std::uint64_t>(2 * m * n * k);
}

}  // namespace cairn::emu
