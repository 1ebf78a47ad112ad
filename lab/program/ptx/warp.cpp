// Instructions of a warp or a block: barriers, shuffles, votes, and the tensor cores of sm_80.
#include <algorithm>

#include <fmt/format.h>

#include "lab/program/ptx/emit.hpp"

namespace cairn::lab::program {
namespace {

// bar.sync 0; bar.sync id, threads; bar.warp.sync mask; barrier.cluster.arrive
std::string bar(Emit& in) {
  if (in.take("cluster")) return sm90_emitter("barrier")(in);
  if (in.take("warp")) {
    if (!in.take("sync")) throw NotEmulated{};
    in.expect(1);
    return fmt::format("::__syncwarp({});", in.value(0, "std::uint32_t"));
  }
  in.drop({"cta", "aligned"});
  const bool arrive = in.take("arrive");
  if (!arrive && !in.take("sync")) throw NotEmulated{};
  in.expect(arrive ? 2 : 1, 2);
  const std::string id = in.value(0, "int");
  if (in.count() == 1) return fmt::format("cairn_ptx::sync({});", id);
  return fmt::format("cairn_ptx::{}({}, {});", arrive ? "arrive" : "sync", id, in.value(1, "int"));
}

// shfl.sync.bfly.b32 d|p, a, b, c, mask
std::string shfl(Emit& in) {
  if (!in.take("sync")) throw NotEmulated{};
  const std::string way = in.take_one({"up", "down", "bfly", "idx"}, "");
  if (way.empty() || in.type() != "std::uint32_t") throw NotEmulated{};
  in.expect(5);
  const std::string call =
      fmt::format("cairn_ptx::shuffle_{}({}, {}, {}, {})", way, in.value(1, "std::uint32_t"),
                  in.value(2, "std::uint32_t"), in.value(3, "std::uint32_t"), in.value(4, "std::uint32_t"));
  if (in.operand(0).kind != PtxOperand::Kind::pair) return in.set(0, call + ".value");
  return fmt::format("{{ const auto cairn_shuffled = {}; {} {} }}", call,
                     in.set(in.operand(0).parts[0], "cairn_shuffled.value"),
                     in.set(in.operand(0).parts[1], "cairn_shuffled.inside"));
}

std::string vote(Emit& in) {
  if (!in.take("sync")) throw NotEmulated{};
  const std::string what = in.take_one({"ballot", "all", "any"}, "");
  if (what.empty()) throw NotEmulated{};
  in.drop({"b32", "pred"});
  in.expect(3);
  return in.set(0, fmt::format("::__{}_sync({}, {})", what, in.value(2, "std::uint32_t"), in.value(1, "bool")));
}

std::string redux(Emit& in) {
  if (!in.take("sync")) throw NotEmulated{};
  const std::string what = in.take_one({"add", "min", "max", "and", "or", "xor"}, "");
  if (what.empty()) throw NotEmulated{};
  const std::string type = in.type();
  in.expect(3);
  return in.set(0, fmt::format("::__reduce_{}_sync({}, {})", what, in.value(2, "std::uint32_t"),
                               in.value(1, type == "std::int32_t" && what.size() == 3 ? "int" : "unsigned")));
}

std::string match(Emit& in) {
  if (!in.take("any") || !in.take("sync")) throw NotEmulated{};
  const std::string type = in.type();
  in.expect(3);
  return in.set(0, fmt::format("::__match_any_sync({}, {})", in.value(2, "std::uint32_t"), in.value(1, type)));
}

std::string activemask(Emit& in) {
  in.drop({"b32"});
  in.expect(1);
  return in.set(0, "::__activemask()");
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [row]
std::string matrices(Emit& in, std::size_t list, std::size_t address, std::string_view name) {
  if (!in.take("sync") || !in.take("aligned")) throw NotEmulated{};
  std::string count;
  bool transposed = false, shared = false;
  for (std::string word = in.next(); word != "b16"; word = in.next()) {
    if (word.size() == 2 && word[0] == 'x') count = word.substr(1);
    transposed = transposed || word == "trans";
    shared = shared || word == "shared" || word == "shared::cta";
    if (word != "trans" && !word.starts_with("shared") && word != "m8n8" && word[0] != 'x') throw NotEmulated{};
  }
  in.expect(2);
  if (in.parts(list).size() != static_cast<std::size_t>(std::stoi("0" + count))) throw NotEmulated{};
  if (name == "stmatrix")
    return fmt::format("cairn_ptx::stmatrix<{}, {}>({}, {});", count, transposed, in.address(address, shared),
                       in.values(list, "std::uint32_t"));
  std::string text = fmt::format("{{ const auto cairn_rows = cairn_ptx::ldmatrix<{}, {}>({}); ", count, transposed,
                                 in.address(address, shared));
  const auto to = in.parts(list);
  for (std::size_t i = 0; i < to.size(); ++i) text += in.set(to[i], fmt::format("cairn_rows.of[{}]", i)) + " ";
  return text + "}";
}
std::string ldmatrix(Emit& in) { return matrices(in, 0, 1, "ldmatrix"); }
std::string stmatrix(Emit& in) { return matrices(in, 1, 0, "stmatrix"); }

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c
std::string mma(Emit& in) {
  if (!in.take("sync") || !in.take("aligned")) throw NotEmulated{};
  const std::string shape = in.next();
  if (!in.take("row") || !in.take("col")) throw NotEmulated{};
  const std::string to = in.next(), a = in.next(), b = in.next(), from = in.next();
  if (a != b || to != from) throw NotEmulated{};
  static constexpr std::string_view kForms[] = {"m16n8k16.f16", "m16n8k8.f16",  "m16n8k16.bf16", "m16n8k8.bf16",
                                                "m16n8k8.tf32", "m16n8k4.tf32", "m8n8k4.f64",    "m16n8k4.f64",
                                                "m16n8k8.f64",  "m16n8k16.f64"};
  if (std::ranges::find(kForms, shape + "." + a) == std::ranges::end(kForms) || shape + "." + a == "m16n8k4.tf32")
    throw NotEmulated{};
  const bool half = to == "f16", wide = a == "f64";
  if (to != (wide ? "f64" : half ? "f16" : "f32") || (half && a != "f16")) throw NotEmulated{};
  in.expect(4);
  const std::string sums = half   ? "std::uint32_t"
                           : wide ? "double"
                                  : "float",
                    inputs = wide ? "double" : "std::uint32_t";
  const std::size_t n = shape.find('n'), k = shape.find('k');
  std::string text =
      fmt::format("{{ const auto cairn_sums = cairn_ptx::mma<::cairn::fragment::Type::{}, {}, {}, {}>({}, {}, {}); ",
                  a, shape.substr(1, n - 1), shape.substr(k + 1), half, in.values(1, inputs), in.values(2, inputs),
                  in.values(3, sums));
  const auto results = in.parts(0);
  for (std::size_t i = 0; i < results.size(); ++i)
    text += in.set(results[i], fmt::format("cairn_sums.of[{}]", i)) + " ";
  return text + "}";
}

std::string nanosleep(Emit& in) {
  in.drop({"u32"});
  return "::__nanosleep(0);";
}
std::string trap(Emit&) { return "cairn_ptx::trap();"; }

constexpr NamedEmitter kAll[] = {
    {"bar", bar},     {"barrier", bar},           {"shfl", shfl},         {"vote", vote},
    {"redux", redux}, {"match", match},           {"ldmatrix", ldmatrix}, {"stmatrix", stmatrix},
    {"mma", mma},     {"activemask", activemask}, {"trap", trap},         {"nanosleep", nanosleep}};

}  // namespace

Emitter warp_emitter(std::string_view word) { return find_emitter(kAll, word); }

}  // namespace cairn::lab::program
