#include "src/dispatch/candidate.hpp"

#include <algorithm>

namespace cairn::dispatch {
namespace {

const void* at(const void* matrix, std::int64_t elements, Type type) {
  return matrix == nullptr ? nullptr : static_cast<const std::byte*>(matrix) + elements * size_of(type);
}

// The card's entry for a problem's types: the one with the compute mode asked for, else the last with these types.
const Types* types_of(const Rung& rung, const Problem& row) {
  const Types* found = nullptr;
  for (const Types& t : rung.types) {
    if (t.in != row.in || t.out != row.out) continue;
    found = &t;
    if (t.compute == row.compute) break;
  }
  return found;
}

Status failed(const Rung& rung, const Problem& p, Code code, const std::string& message) {
  return {code, std::string(rung.id) + ", " + p.brief() + ": " + message};
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

Device device_of(const runtime::Facts& facts) {
  constexpr int kClock = 1980;  // an H200's, where a device does not say
  return {facts.arch, std::max(facts.units, 1), static_cast<double>(facts.clock_mhz > 0 ? facts.clock_mhz : kClock)};
}

Refusal refusal(const Rung& rung, const Problem& row, const Device& device) {
  const Types* types = types_of(rung, row);
  if (types == nullptr) return Refusal::types;
  // A compute mode less accurate than native is used only if it was asked for. Native is accurate enough for every
  // mode.
  if (types->compute != Compute::native && types->compute != row.compute) return Refusal::compute;
  if (row.is_grouped() && !rung.grouped) return Refusal::groups;
  if (row.has_epilogue() && !rung.epilogue) return Refusal::epilogue;
  if ((rung.layouts & layout::of(row.op_a, row.op_b)) == 0) return Refusal::layout;
  if (device.arch < rung.arch || (rung.only_arch && device.arch > rung.arch)) return Refusal::arch;
  if (row.m == 0 || row.n == 0 || row.k == 0) return Refusal::none;  // A and B are not read
  const auto off = [&](std::int64_t elements) { return elements * size_of(row.in) % rung.row_alignment != 0; };
  if (off(row.lda)) return Refusal::lda;
  if (off(row.ldb)) return Refusal::ldb;
  if (row.batch > 1 && off(row.stride_a)) return Refusal::stride_a;
  if (row.count_b() > 1 && off(row.stride_b)) return Refusal::stride_b;
  return Refusal::none;
}

std::string why_not(const Rung& rung, const Problem& row, const Device& device) {
  const auto off = [&](const char* what, std::int64_t elements) {
    return std::string(what) + " is " + std::to_string(elements) + " elements, " +
           std::to_string(elements * size_of(row.in)) + " bytes; it needs a multiple of " +
           std::to_string(rung.row_alignment) + " bytes";
  };
  switch (refusal(rung, row, device)) {
    case Refusal::none: break;
    case Refusal::types: {
      std::string all;
      for (const Types& t : rung.types)
        all += (all.empty() ? "" : ", ") + std::string(name(t.in)) + " into " + std::string(name(t.out));
      return "it takes only " + all;
    }
    case Refusal::compute:
      return "it computes in " + std::string(name(types_of(rung, row)->compute)) + ", and the problem asks for " +
             std::string(name(row.compute));
    case Refusal::groups: return "it takes no groups of rows";
    case Refusal::epilogue: return "it has no epilogue: it takes no scales, adds no bias and applies no activation";
    case Refusal::layout:
      return "it does not take the layout " + std::string(name(row.op_a)) + std::string(name(row.op_b));
    case Refusal::arch:
      return "it needs sm_" + std::to_string(rung.arch) + (rung.only_arch ? " exactly" : " or later") +
             "; this is sm_" + std::to_string(device.arch);
    case Refusal::lda: return off("lda", row.lda);
    case Refusal::ldb: return off("ldb", row.ldb);
    case Refusal::stride_a: return off("stride_a", row.stride_a);
    case Refusal::stride_b: return off("stride_b", row.stride_b);
  }
  return "";
}

Compute compute_of(const Rung& rung, const Problem& row) {
  const Types* const types = types_of(rung, row);
  return types == nullptr ? row.compute : types->compute;
}

Candidate candidate(const Rung& rung, const Problem& row, const Device& device, int tile, bool aligned) {
  Candidate found{&rung, {}, aligned, row.invariant != Invariant::none};
  found.choice.tile = std::max(tile, 0);
  if (rung.choose == nullptr) return found;
  if (rung.batched || row.batch <= 1) {
    found.choice = rung.choose({row, device, tile, aligned});
  } else {
    Problem one = row;
    one.batch = 1;
    found.choice = rung.choose({one, device, tile, aligned});
    found.choice.forecast.repeat(static_cast<double>(row.batch));
  }
  return found;
}

bool aligned(const Rung& rung, const RungArgs& args) {
  const auto begins = [&](const void* matrix) {
    return reinterpret_cast<std::uintptr_t>(matrix) % static_cast<unsigned>(rung.pointer_alignment) == 0;
  };
  return args.depth() == 0 || (begins(args.A) && begins(args.B));
}

Status launch(const Candidate& candidate, const RungArgs& args, Stream stream) {
  const Rung& rung = *candidate.rung;
  const Problem& p = args.problem;
  if (candidate.aligned && !aligned(rung, args)) {
    return failed(
        rung, p, Code::unsupported,
        "A or B is misaligned; both must be aligned to " + std::to_string(rung.pointer_alignment) + " bytes");
  }
  RungArgs each = args;
  if (rung.choose != nullptr && !candidate.whole) each.choice = &candidate.choice;
  for (std::int64_t b = 0, launches = rung.batched ? std::min<std::int64_t>(p.batch, 1) : p.batch; b < launches;
       ++b) {
    each.A = at(args.A, b * p.stride_a, p.in), each.B = at(args.B, b * p.stride_b, p.in);
    each.C = const_cast<void*>(at(args.C, b * p.stride_c, p.out));
    each.bias = at(args.bias, b * p.stride_bias, p.bias_type);
    each.scale_a = at(args.scale_a, b * p.stride_scale_a, accumulator(p.in));
    each.scale_b = at(args.scale_b, b * p.stride_scale_b, accumulator(p.in));
    each.before = const_cast<void*>(at(args.before, b * p.stride_c, p.out));
    if (auto s = rung.launch(each, candidate.choice.tile, stream); !s.ok()) {
      return failed(rung, p, s.code(), s.message());
    }
  }
  return {};
}

}  // namespace cairn::dispatch
