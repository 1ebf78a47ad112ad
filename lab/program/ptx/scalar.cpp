// Instructions of one thread on its registers: arithmetic, comparisons, conversions.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "lab/program/ptx/emit.hpp"

namespace cairn::lab::program {
namespace {

// Rounding of floats: to nearest, or as the call says.
std::string rounding(Emit& in) {
  in.drop({"ftz", "sat", "approx", "full"});
  return in.take_one({"rn", "rz", "rm", "rp"}, "rn");
}

// d = name(a, b, …), each of the type that the instruction ends with.
std::string simple(Emit& in, std::string_view name, std::size_t operands) {
  in.drop({"lo", "wrap"});
  if (rounding(in) != "rn") throw NotEmulated{};
  const std::string type = in.type();
  in.expect(operands + 1);
  std::string arguments;
  for (std::size_t i = 1; i <= operands; ++i) arguments += (i == 1 ? "" : ", ") + in.value(i, type);
  return in.set(0, fmt::format("cairn_ptx::{}<{}>({})", name, type, arguments));
}

std::string add(Emit& in) { return simple(in, "add", 2); }
std::string sub(Emit& in) { return simple(in, "sub", 2); }
std::string div(Emit& in) { return simple(in, "div", 2); }
std::string rem(Emit& in) { return simple(in, "rem", 2); }
std::string min(Emit& in) { return simple(in, "least", 2); }
std::string max(Emit& in) { return simple(in, "most", 2); }
std::string fma(Emit& in) { return simple(in, "fma", 3); }
std::string neg(Emit& in) { return simple(in, "neg", 1); }
std::string abs(Emit& in) { return simple(in, "absolute", 1); }
std::string and_(Emit& in) { return simple(in, "bit_and", 2); }
std::string or_(Emit& in) { return simple(in, "bit_or", 2); }
std::string xor_(Emit& in) { return simple(in, "bit_xor", 2); }
std::string not_(Emit& in) { return simple(in, "bit_not", 1); }
std::string brev(Emit& in) { return simple(in, "reversed", 1); }
std::string rcp(Emit& in) { return simple(in, "reciprocal", 1); }
std::string sqrt(Emit& in) { return simple(in, "root", 1); }
std::string rsqrt(Emit& in) { return simple(in, "inverse_root", 1); }
std::string ex2(Emit& in) { return simple(in, "power_of_two", 1); }
std::string lg2(Emit& in) { return simple(in, "log_of_two", 1); }
std::string sin(Emit& in) { return simple(in, "sine", 1); }
std::string cos(Emit& in) { return simple(in, "cosine", 1); }
std::string tanh(Emit& in) { return simple(in, "tangent", 1); }

// mul.lo, mul.hi, mul.wide; mad adds a third operand.
std::string product(Emit& in, bool add) {
  const std::string part = in.take_one({"hi", "wide"}, "lo");
  in.drop({"lo"});
  if (rounding(in) != "rn") throw NotEmulated{};
  const std::string type = in.type();
  in.expect(add ? 4 : 3);
  const std::string call =
      fmt::format("cairn_ptx::product_{}<{}>({}, {})", part, type, in.value(1, type), in.value(2, type));
  if (!add) return in.set(0, call);
  if (type == "float" || type == "double")
    return in.set(0, fmt::format("cairn_ptx::fma<{}>({}, {}, {})", type, in.value(1, type), in.value(2, type),
                                 in.value(3, type)));
  const std::string sum = fmt::format("decltype({})", call);
  return in.set(0, fmt::format("cairn_ptx::add<{0}>({1}, {2})", sum, call, in.value(3, sum)));
}
std::string mul(Emit& in) { return product(in, false); }
std::string mad(Emit& in) { return product(in, true); }

// The amount of a shift is an u32 whatever is shifted.
std::string shift(Emit& in, std::string_view name) {
  const std::string type = in.type();
  in.expect(3);
  return in.set(
      0, fmt::format("cairn_ptx::{}<{}>({}, {})", name, type, in.value(1, type), in.value(2, "std::uint32_t")));
}
std::string shl(Emit& in) { return shift(in, "shift_left"); }
std::string shr(Emit& in) { return shift(in, "shift_right"); }

// The result of these is an u32.
std::string counted(Emit& in, std::string_view name) {
  const std::string type = in.type();
  in.expect(2);
  return in.set(0, fmt::format("cairn_ptx::{}<{}>({})", name, type, in.value(1, type)));
}
std::string popc(Emit& in) { return counted(in, "popcount"); }
std::string clz(Emit& in) { return counted(in, "leading_zeros"); }
std::string bfind(Emit& in) { return counted(in, in.take("shiftamt") ? "shift_of_leading" : "leading_bit"); }

std::string words(Emit& in, std::string_view name, std::size_t operands, std::string_view type) {
  in.expect(operands + 1);
  std::string arguments;
  for (std::size_t i = 1; i <= operands; ++i)
    arguments += (i == 1 ? "" : ", ") + in.value(i, i == 1 ? type : std::string_view("std::uint32_t"));
  return in.set(0, fmt::format("{}({})", name, arguments));
}
std::string bfe(Emit& in) {
  const std::string type = in.type();
  return words(in, fmt::format("cairn_ptx::field<{}>", type), 3, type);
}
std::string bfi(Emit& in) {
  if (in.type() != "std::uint32_t") throw NotEmulated{};
  return words(in, "cairn_ptx::insert_field", 4, "std::uint32_t");
}
std::string prmt(Emit& in) {
  in.drop({"b32"});
  return words(in, "::__byte_perm", 3, "std::uint32_t");
}
std::string lop3(Emit& in) {
  in.drop({"b32"});
  return words(in, "cairn_ptx::lookup", 4, "std::uint32_t");
}
std::string shf(Emit& in) {
  const std::string way = in.take("l") ? "l" : in.take("r") ? "r" : throw NotEmulated{};
  const std::string clamp = in.take("clamp") ? "c" : "";
  in.drop({"wrap", "b32"});
  return words(in, fmt::format("::__funnelshift_{}{}", way, clamp), 3, "std::uint32_t");
}
std::string dp4a(Emit& in) {
  const std::string a = in.type(), b = in.type();
  if (a != b) throw NotEmulated{};
  const std::string type = a == "std::uint32_t" ? "unsigned" : "int";
  in.expect(4);
  return in.set(0, fmt::format("::__dp4a({}, {}, {})", in.value(1, type), in.value(2, type), in.value(3, type)));
}

// mov also packs and unpacks: mov.b32 d, {lo, hi}; mov.b64 {lo, hi}, s;
std::string mov(Emit& in) {
  const std::string type = in.type();
  in.expect(2);
  const auto to = in.parts(0), from = in.parts(1);
  const auto part_type = [&](std::size_t count) {
    const bool wide = type == "std::uint64_t" || type == "std::int64_t" || type == "double";
    if (count != 2 && !(wide && count == 4)) throw NotEmulated{};
    return wide && count == 2 ? std::string("std::uint32_t") : std::string("std::uint16_t");
  };
  if (to.size() > 1) {
    const std::string part = part_type(to.size());
    std::string text = fmt::format("{{ const {} cairn_whole = {}; ", type, in.value(1, type));
    for (std::size_t i = 0; i < to.size(); ++i)
      text += in.set(to[i], fmt::format("cairn_ptx::part<{}>(cairn_whole, {})", part, i));
    return text + " }";
  }
  if (from.size() > 1)
    return in.set(0, fmt::format("cairn_ptx::packed<{}>({})", type, in.values(1, part_type(from.size()))));
  return in.set(0, in.value(1, type));
}

std::string selp(Emit& in) {
  const std::string type = in.type();
  in.expect(4);
  return in.set(0, fmt::format("({} ? {} : {})", in.value(3, "bool"), in.value(1, type), in.value(2, type)));
}

// setp.lt.and.u32 p|q, a, b, !c
std::string setp(Emit& in) {
  const std::string compare = in.next();
  const std::string combine = in.take_one({"and", "or", "xor"}, "");
  in.drop({"ftz"});
  const std::string type = in.type();
  in.expect(combine.empty() ? 3 : 4);
  static constexpr std::string_view kCompares[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                                   "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  if (std::ranges::find(kCompares, compare) == std::ranges::end(kCompares)) throw NotEmulated{};
  const std::string holds =
      fmt::format("cairn_ptx::compare_{}<{}>({}, {})", compare, type, in.value(1, type), in.value(2, type));
  const auto with = [&](const std::string& one) {
    if (combine.empty()) return one;
    return fmt::format("({} {} {})", one,
                       combine == "and"  ? "&&"
                       : combine == "or" ? "||"
                                         : "!=",
                       in.value(3, "bool"));
  };
  if (in.operand(0).kind != PtxOperand::Kind::pair) return in.set(0, with(holds));
  const auto& both = in.operand(0).parts;
  return fmt::format("{{ const bool cairn_holds = {}; {} {} }}", holds, in.set(both[0], with("cairn_holds")),
                     in.set(both[1], with("!cairn_holds")));
}

// cvt.rn.f16x2.f32 d, high, low; cvt.rzi.s32.f32 d, a
std::string cvt(Emit& in) {
  in.drop({"ftz"});
  const std::string round = in.take_one({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"}, "");
  const bool relu = in.take("relu"), saturate = in.take("sat") || in.take("satfinite");
  if (relu) throw NotEmulated{};
  const std::string target = in.next(), to = cpp_type(target), from = in.type();
  if (to.empty()) throw NotEmulated{};
  if (target == "f16x2" || target == "bf16x2") {
    if (round != "rn" || saturate || from != "float") throw NotEmulated{};
    in.expect(3);
    return in.set(
        0, fmt::format("cairn_ptx::pair_of<{}>({}, {})", target == "f16x2" ? "cairn_ptx::f16" : "cairn_ptx::bf16",
                       in.value(1, from), in.value(2, from)));
  }
  in.expect(2);
  if (target == "tf32") {
    if (from != "float" || round == "rz") throw NotEmulated{};
    return in.set(0, fmt::format("cairn_ptx::to_tf32({})", in.value(1, from)));
  }
  if (target == "e4m3x2" || target == "pred") throw NotEmulated{};
  return in.set(0, fmt::format("cairn_ptx::converted<{}, cairn_ptx::Rounding::{}, {}>({})", to,
                               round.empty() ? "none" : round, saturate, in.value(1, from)));
}

// Addresses of shared memory and all others: cvta.to.shared is the offset in the shared window, cvta.shared the way back.
std::string cvta(Emit& in) {
  const bool to = in.take("to");
  const std::string space = in.take_one({"shared", "shared::cta", "global", "local", "const", "param"}, "");
  if (space.empty()) throw NotEmulated{};
  in.drop({"cta"});
  const std::string type = in.type();
  in.expect(2);
  const std::string value = in.value(1, "std::uint64_t");
  if (!space.starts_with("shared")) return in.set(0, value);
  return in.set(0, fmt::format("cairn_ptx::{}({})", to ? "offset_of" : "generic", value));
}

constexpr NamedEmitter kAll[] = {
    {"add", add},   {"sub", sub},   {"mul", mul},   {"mad", mad},   {"fma", fma},  {"div", div},   {"rem", rem},
    {"min", min},   {"max", max},   {"neg", neg},   {"abs", abs},   {"and", and_}, {"or", or_},    {"xor", xor_},
    {"not", not_},  {"shl", shl},   {"shr", shr},   {"popc", popc}, {"clz", clz},  {"brev", brev}, {"bfind", bfind},
    {"bfe", bfe},   {"bfi", bfi},   {"prmt", prmt}, {"lop3", lop3}, {"shf", shf},  {"dp4a", dp4a}, {"mov", mov},
    {"selp", selp}, {"setp", setp}, {"cvt", cvt},   {"cvta", cvta}, {"rcp", rcp},  {"sqrt", sqrt}, {"rsqrt", rsqrt},
    {"ex2", ex2},   {"lg2", lg2},   {"sin", sin},   {"cos", cos},   {"tanh", tanh}};

}  // namespace

Emitter scalar_emitter(std::string_view word) { return find_emitter(kAll, word); }

}  // namespace cairn::lab::program
