#include "src/dispatch/rungs.hpp"

#include <algorithm>

namespace cairn::dispatch {
namespace {

const std::byte* at(const void* matrix, std::int64_t elements, Type type) {
  return matrix == nullptr ? nullptr : static_cast<const std::byte*>(matrix) + elements * size_of(type);
}

// Why the rung cannot take matrices whose rows (or products of a batch) begin where these do; empty if it can.
std::string off_the_grid(const Rung& rung, const Problem& row) {
  const auto check = [&](const char* what, std::int64_t elements) -> std::string {
    if (elements * size_of(row.in) % rung.row_alignment == 0) return "";
    return std::string(what) + " is " + std::to_string(elements) + ", and it takes multiples of " +
           std::to_string(rung.row_alignment) + " bytes";
  };
  std::string why = check("lda", row.lda);
  if (why.empty()) why = check("ldb", row.ldb);
  if (why.empty() && row.batch > 1) why = check("stride_a", row.stride_a);
  if (why.empty() && row.batch > 1) why = check("stride_b", row.stride_b);
  return why;
}

}  // namespace

Ladder ladder_of(runtime::Kind kind) {
  switch (kind) {
    case runtime::Kind::cpu: break;
    case runtime::Kind::gpu: return cuda_ladder();
    case runtime::Kind::emu: return emulated_ladder();
  }
  return {};
}

std::string refuses(const Rung& rung, const Problem& row, const runtime::Facts& device) {
  const Types* types = nullptr;
  for (const Types& t : rung.types) {
    if (t.in != row.in || t.out != row.out) continue;
    types = &t;
    if (t.compute == row.compute) break;  // else a later one may be what was asked for
  }
  if (types == nullptr) {
    std::string all;
    for (const Types& t : rung.types) {
      all += (all.empty() ? "" : ", ") + std::string(name(t.in)) + " into " + std::string(name(t.out));
    }
    return "it multiplies " + all;
  }
  // Less accuracy than IEEE is used only where it was asked for; more is always welcome.
  if (types->compute != Compute::native && types->compute != row.compute) {
    return "it computes in " + std::string(name(types->compute)) + ", which was not asked for";
  }
  if ((rung.layouts & layout::of(row.op_a, row.op_b)) == 0) {
    return "it does not take the layout " + std::string(name(row.op_a)) + std::string(name(row.op_b));
  }
  if (device.arch < rung.arch || (rung.only_arch && device.arch > rung.arch)) {
    return "it needs sm_" + std::to_string(rung.arch) + (rung.only_arch ? " and no other" : "") + ", this is sm_" +
           std::to_string(device.arch);
  }
  if (row.m == 0 || row.n == 0 || row.k == 0) return "";  // nobody looks at A and B
  return off_the_grid(rung, row);
}

bool on_the_grid(const Rung& rung, const Call& row) {
  if (row.alpha == 0 || row.problem.k == 0) return true;  // nobody looks at A and B
  const auto begins = [&](const void* matrix) {
    return reinterpret_cast<std::uintptr_t>(matrix) % static_cast<unsigned>(rung.pointer_alignment) == 0;
  };
  return begins(row.A) && begins(row.B);
}

std::size_t scratch_bytes(const Rung& rung, int tile, const Problem& row, int units) {
  return rung.scratch == nullptr ? 0 : rung.scratch(row, tile, units);
}

std::size_t scratch_bytes_off_the_grid(const Rung& rung, int tile, const Problem& row, int units) {
  Problem odd = row;
  odd.lda |= 1, odd.ldb |= 1;
  return scratch_bytes(rung, tile, odd, units);
}

Status run(const Rung& rung, int tile, const Call& row, int units, std::span<std::byte> scratch,
           runtime::Stream stream) {
  const Problem& p = row.problem;
  const auto copied = [&] {
    return rung.copies && scratch.size() >= scratch_bytes_off_the_grid(rung, tile, p, units);
  };
  if (!on_the_grid(rung, row) && !copied()) {
    return {Code::unsupported, std::string(rung.id) + ", " + p.brief() + ": A and B must begin at multiples of " +
                                   std::to_string(rung.pointer_alignment) + " bytes"};
  }
  const std::int64_t launches = rung.batched ? std::min<std::int64_t>(p.batch, 1) : p.batch;
  for (std::int64_t b = 0; b < launches; ++b) {
    const RungArgs args{p,
                        row.alpha,
                        at(row.A, b * p.stride_a, p.in),
                        at(row.B, b * p.stride_b, p.in),
                        row.beta,
                        const_cast<std::byte*>(at(row.C, b * p.stride_c, p.out)),
                        units,
                        scratch};
    if (auto s = rung.launch(args, tile, stream); !s.ok()) {
      return {s.code(), std::string(rung.id) + ", " + p.brief() + ": " + s.message()};
    }
  }
  return {};
}

}  // namespace cairn::dispatch
