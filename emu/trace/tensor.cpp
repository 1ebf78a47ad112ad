// What a warp does as one. The rows that ldmatrix reads are loads of the lanes that name them, logged as any other;
// they meet the other lanes right after, so what they read is ordered by what came before the call.
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

void Tracer::matrix_row(const void* row, const Site& where) {
  const SiteId site = site_of_call(where);
  const Place at = find(reinterpret_cast<std::uintptr_t>(row), 16, false, site);
  if (at.shared) log(at.address, Entry::pack(site, 16, kShared | kMatrix));
}

void Tracer::multiplied(const Multiply& what, const Site& where) {
  const SiteId site = site_of_call(where);
  const auto [m, n, k] = what.kind.shape;
  auto at = products_.begin();
  while (at != products_.end() && at->site != site) ++at;
  if (at == products_.end()) at = products_.insert(at, {site, 0, 0});
  at->instructions += static_cast<std::uint64_t>(m * n / (16 * 8) * (k / fragment::depth(what.kind)));
  at->flops += static_cast<std::uint64_t>(2 * m * n * k);
}

}  // namespace cairn::emu
