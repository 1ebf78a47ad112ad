// Instructions of sm_90: mbarriers, TMA, clusters and wgmma.
#include <algorithm>

#include <fmt/format.h>

#include "lab/program/ptx/emit.hpp"

namespace cairn::lab::program {
namespace {

// An mbarrier's address; of another block of the cluster too, if the instruction says so.
bool drop_space(Emit& in) {
  const bool cluster = in.take("shared::cluster");
  in.drop({"shared", "shared::cta", "b64"});
  return cluster;
}

std::string mbarrier(Emit& in) {
  const std::string what = in.next();
  if (what == "init") {
    drop_space(in);
    in.expect(2);
    return fmt::format("cairn_ptx::mbarrier_init({}, {});", in.address(0, true), in.value(1, "std::uint32_t"));
  }
  if (what == "inval") {
    drop_space(in);
    in.expect(1);
    return fmt::format("cairn_ptx::mbarrier_invalidate({});", in.address(0, true));
  }
  if (what == "arrive") {
    const bool expect = in.take("expect_tx");
    in.drop({"release", "relaxed", "cta", "cluster"});
    const bool cluster = drop_space(in);
    const bool returns = in.operand(0).kind != PtxOperand::Kind::address;
    const std::size_t at = returns ? 1 : 0;
    in.expect(at + (expect ? 2 : 1), at + 2);
    const std::string count = in.count() == at + 2 ? in.value(at + 1, "std::uint32_t") : "1";
    if (cluster) {
      if (expect) throw NotEmulated{};
      return fmt::format("cairn_ptx::mbarrier_arrive_cluster({}, {});", in.raw_address(at), count);
    }
    const std::string call =
        fmt::format("cairn_ptx::mbarrier_arrive{}({}, {})", expect ? "_expect" : "", in.address(at, true), count);
    return returns ? in.set(0, call) : call + ";";
  }
  if (what == "try_wait" || what == "test_wait") {
    const bool parity = in.take("parity");
    in.drop({"acquire", "relaxed", "cta", "cluster"});
    drop_space(in);
    in.expect(3, 4);  // the fourth limits the time
    return in.set(0,
                  fmt::format("cairn_ptx::mbarrier_test({}, {})", in.address(1, true),
                              parity ? in.value(2, "std::uint32_t")
                                     : fmt::format("static_cast<std::uint32_t>({})", in.value(2, "std::uint64_t"))));
  }
  throw NotEmulated{};
}

// The parts of [map, {x, y}].
std::string corner(Emit& in, std::size_t i) {
  const auto& parts = in.operand(i).parts;
  if (parts.size() != 2 || parts[1].kind != PtxOperand::Kind::list) throw NotEmulated{};
  std::string all;
  for (const PtxOperand& part : parts[1].parts) all += (all.empty() ? "" : ", ") + in.value(part, "int");
  return fmt::format("{}, {{{}}}", in.value(parts[0], "std::uint64_t"), all);
}

// cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [barrier]
std::string bulk(Emit& in) {
  if (in.take("commit_group")) return "cairn_ptx::bulk_commit();";
  if (in.take("wait_group")) {
    const bool read = in.take("read");
    in.expect(1);
    return fmt::format("cairn_ptx::bulk_wait{}({});", read ? "_read" : "", in.value(0, "int"));
  }
  if (in.take("prefetch")) throw NotEmulated{};
  if (!in.take("tensor")) throw NotEmulated{};
  const std::string rank = in.take_one({"1d", "2d", "3d", "4d", "5d"}, "");
  if (rank.empty()) throw NotEmulated{};
  in.drop({"tile"});
  if (in.take("global")) {
    if (!in.take("shared::cta") || !in.take("bulk_group")) throw NotEmulated{};
    in.drop({"L2::cache_hint"});
    in.expect(2, 3);
    return fmt::format("cairn_ptx::bulk_store<{}>({}, {});", rank[0], in.address(1, true), corner(in, 0));
  }
  if (in.take_one({"shared::cluster", "shared::cta"}, "").empty() || !in.take("global") ||
      !in.take("mbarrier::complete_tx::bytes"))
    throw NotEmulated{};
  const bool multicast = in.take("multicast::cluster");
  in.drop({"L2::cache_hint"});
  in.expect(multicast ? 4 : 3, 5);
  const std::string blocks = multicast ? ", " + in.value(3, "std::uint16_t") : "";
  return fmt::format("cairn_ptx::bulk_load<{}>({}, {}, {}{});", rank[0], in.address(0, true), corner(in, 1),
                     in.address(2, true), blocks);
}

// fence.proxy.async, fence.mbarrier_init: the second word has been read.
std::string fence(Emit& in) {
  if (in.take("async")) {
    in.drop({"shared::cta", "shared::cluster", "global"});
    return "cairn_ptx::fence_proxy();";
  }
  if (in.take("release") && in.take("cluster")) return "cairn_ptx::fence_mbarrier();";
  throw NotEmulated{};
}

std::string barrier(Emit& in) {
  const std::string what = in.take_one({"arrive", "wait"}, "");
  if (what.empty()) throw NotEmulated{};
  in.drop({"release", "acquire", "relaxed", "aligned"});
  return fmt::format("cairn_ptx::cluster_{}();", what);
}

std::string mapa(Emit& in) {
  in.drop({"shared::cluster"});
  const std::string type = in.type();
  in.expect(3);
  return in.set(
      0, fmt::format("cairn_ptx::in_block({}, {})", in.value(1, "std::uint64_t"), in.value(2, "std::uint32_t")));
}

std::string elect(Emit& in) {
  in.drop({"sync"});
  in.expect(2);
  const PtxOperand& to = in.operand(0);
  if (to.kind != PtxOperand::Kind::pair) throw NotEmulated{};
  return fmt::format("{{ const bool cairn_elected = cairn_ptx::elected({}); {} {} }}", in.value(1, "std::uint32_t"),
                     in.set(to.parts[1], "cairn_elected"), in.set(to.parts[0], "0u"));
}

std::string setmaxnreg(Emit& in) {
  const std::string way = in.take_one({"inc", "dec"}, "");
  in.drop({"sync", "aligned", "u32"});
  in.expect(1);
  return fmt::format("cairn_ptx::setmaxnreg({}, {});", way == "inc", in.value(0, "int"));
}

// wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {d…}, a, b, p, 1, 1, 0, 0
std::string wgmma(Emit& in) {
  const std::string what = in.next();
  if (!in.take("sync") || !in.take("aligned")) throw NotEmulated{};
  if (what == "fence") return "cairn_ptx::wgmma_fence();";
  if (what == "commit_group") return "cairn_ptx::wgmma_commit();";
  if (what == "wait_group") {
    in.expect(1);
    return fmt::format("cairn_ptx::wgmma_wait({});", in.value(0, "int"));
  }
  if (what != "mma_async") throw NotEmulated{};
  const std::string shape = in.next(), sums = in.next(), a = in.next(), b = in.next();
  static constexpr std::string_view kTypes[] = {"f16", "bf16", "tf32", "e4m3"};
  if (sums != "f32" || a != b || std::ranges::find(kTypes, a) == std::ranges::end(kTypes)) throw NotEmulated{};
  const bool half = a == "f16" || a == "bf16", registers = in.operand(1).kind == PtxOperand::Kind::list;
  in.expect(half ? (registers ? 7 : 8) : 6);
  const std::size_t n = shape.find('n'), k = shape.find('k');
  const std::string columns = shape.substr(n + 1, k - n - 1);
  if (in.parts(0).size() * 2 != std::stoul(columns)) throw NotEmulated{};
  const std::string to = in.places(0, "float");
  const std::string from = registers ? fmt::format("{}, 0", in.places(1, "std::uint32_t"))
                                     : fmt::format("nullptr, {}", in.value(1, "std::uint64_t"));
  const std::string a_major = half && !registers ? in.value(6, "bool") : "false",
                    b_major = half ? in.value(registers ? 6 : 7, "bool") : "false";
  return fmt::format("cairn_ptx::wgmma<::cairn::fragment::Type::{}, {}>({}, {}, {}, {}, {}, {}, {}, {});", a, columns,
                     to, from, in.value(2, "std::uint64_t"), in.value(3, "bool"), in.value(4, "int"),
                     in.value(5, "int"), a_major, b_major);
}

constexpr NamedEmitter kAll[] = {{"mbarrier", mbarrier},     {"cp.async.bulk", bulk}, {"fence", fence},
                                 {"barrier", barrier},       {"mapa", mapa},          {"elect", elect},
                                 {"setmaxnreg", setmaxnreg}, {"wgmma", wgmma}};

}  // namespace

Emitter sm90_emitter(std::string_view word) { return find_emitter(kAll, word); }

}  // namespace cairn::lab::program
