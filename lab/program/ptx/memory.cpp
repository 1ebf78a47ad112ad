// Instructions that move data: loads, stores, atomics, cp.async, and fences between them.
#include <algorithm>

#include <fmt/format.h>

#include "lab/program/ptx/emit.hpp"

namespace cairn::lab::program {
namespace {

// Hints to caches, which are not emulated.
void drop_hints(Emit& in) {
  in.drop({"ca",
           "cg",
           "cs",
           "lu",
           "cv",
           "wb",
           "wt",
           "nc",
           "L1::evict_normal",
           "L1::evict_unchanged",
           "L1::evict_first",
           "L1::evict_last",
           "L1::no_allocate",
           "L2::cache_hint",
           "L2::64B",
           "L2::128B",
           "L2::256B",
           "L2::evict_last",
           "L2::evict_normal",
           "L2::evict_first"});
}

// Whether the address is an offset in the shared window.
bool is_shared(Emit& in) {
  const std::string space = in.take_one({"shared", "shared::cta", "global", "const", "param", "local"}, "");
  if (space == "local") throw NotEmulated{};
  return space.starts_with("shared");
}

// How a load or a store is ordered; relaxed and stronger ones let other threads run, since a loop may poll with them.
bool is_strong(Emit& in) {
  const std::string order = in.take_one({"volatile", "relaxed", "acquire", "release"}, "weak");
  in.take("weak");
  in.drop_scope();
  return order != "weak";
}

std::size_t vector_of(Emit& in) {
  const std::string vector = in.take_one({"v2", "v4", "v8"}, "");
  return vector.empty() ? 1 : static_cast<std::size_t>(vector[1] - '0');
}

std::string ld(Emit& in) {
  const bool strong = is_strong(in), shared = is_shared(in);
  drop_hints(in);
  const std::size_t count = vector_of(in);
  const std::string type = in.type();
  in.expect(2, 3);  // the third is a policy of the cache
  const auto to = in.parts(0);
  if (to.size() != count) throw NotEmulated{};
  std::string text = fmt::format("{{ const auto cairn_loaded = cairn_ptx::load<{}, {}, {}>({}); ", type, count,
                                 strong, in.address(1, shared));
  for (std::size_t i = 0; i < count; ++i) text += in.set(to[i], fmt::format("cairn_loaded.of[{}]", i)) + " ";
  return text + "}";
}

std::string st(Emit& in) {
  const bool strong = is_strong(in), shared = is_shared(in);
  drop_hints(in);
  const std::size_t count = vector_of(in);
  const std::string type = in.type();
  in.expect(2, 3);
  if (in.parts(1).size() != count) throw NotEmulated{};
  return fmt::format("cairn_ptx::store<{}, {}, {}>({}, {});", type, count, strong, in.address(0, shared),
                     in.values(1, type));
}

// atom returns the old value, red does not.
std::string atomic(Emit& in, bool returns) {
  const std::string order = in.take_one({"relaxed", "acquire", "release", "acq_rel"}, "relaxed");
  in.drop_scope();
  const bool shared = is_shared(in);
  const std::string name = in.next();
  static constexpr std::string_view kNames[] = {"add", "exch", "min", "max", "and", "or", "xor", "inc", "dec", "cas"};
  if (std::ranges::find(kNames, name) == std::ranges::end(kNames)) throw NotEmulated{};
  in.drop({"noftz"});
  drop_hints(in);
  const std::string type = in.type();
  const std::size_t first = returns ? 1 : 0, values = name == "cas" ? 2 : 1;
  in.expect(first + 1 + values);
  std::string call = fmt::format("cairn_ptx::atomic_{}<{}>({}", name, type, in.address(first, shared));
  for (std::size_t i = 0; i < values; ++i) call += ", " + in.value(first + 1 + i, type);
  call += ")";
  const auto fence = [&](std::string_view with) {
    return order == with || order == "acq_rel" ? std::string("::__threadfence(); ") : "";
  };
  return fence("release") + (returns ? in.set(0, call) : call + ";") + " " + fence("acquire");
}
std::string atom(Emit& in) { return atomic(in, true); }
std::string red(Emit& in) { return atomic(in, false); }

// cp.async.cg.shared.global [to], [from], bytes, bytes that are read, policy
std::string copy(Emit& in) {
  if (in.take("commit_group")) return "cairn_ptx::commit();";
  if (in.take("wait_all")) return "cairn_ptx::wait_all();";
  if (in.take("wait_group")) {
    in.expect(1);
    return fmt::format("cairn_ptx::wait({});", in.value(0, "int"));
  }
  if (in.take("mbarrier")) throw NotEmulated{};
  const std::string through = in.next();
  if (through != "ca" && through != "cg") throw NotEmulated{};
  if (!is_shared(in) || !in.take("global")) throw NotEmulated{};
  const bool policy = in.take("L2::cache_hint");
  drop_hints(in);
  in.take("L2::cache_hint");
  in.expect(3, policy ? 5 : 4);
  const std::size_t values = in.count() - (policy ? 1 : 0);
  return fmt::format("cairn_ptx::copy({}, {}, {}, {});", in.address(0, true), in.address(1, false),
                     in.value(2, "int"), in.value(values == 4 ? 3 : 2, "int"));
}

// cp.async here; cp.async.bulk is TMA's.
std::string cp(Emit& in) {
  if (!in.take("async")) throw NotEmulated{};
  if (in.take("bulk")) return sm90_emitter("cp.async.bulk")(in);
  return copy(in);
}

std::string membar(Emit& in) {
  in.drop({"cta", "gl", "sys"});
  return "::__threadfence();";
}

std::string fence(Emit& in) {
  if (in.take("proxy") || in.take("mbarrier_init")) return sm90_emitter("fence")(in);
  in.drop({"sc", "acq_rel", "acquire", "release"});
  in.drop_scope();
  return "::__threadfence();";
}

// What only concerns caches.
std::string hint(Emit& in) {
  in.drop({"global", "local", "L1", "L2", "u64", "b64", "L2::evict_last", "L2::evict_normal", "tensormap"});
  return ";";
}
std::string createpolicy(Emit& in) {
  in.drop({"fractional", "L2::evict_last", "L2::evict_first", "L2::evict_normal", "L2::evict_unchanged", "range",
           "global"});
  const std::string type = in.type();
  return in.set(0, "std::uint64_t{0}");
}

std::string griddepcontrol(Emit& in) {
  in.drop({"wait", "launch_dependents"});  // grids run one after another
  return ";";
}

constexpr NamedEmitter kAll[] = {{"ld", ld},
                                 {"ldu", ld},
                                 {"st", st},
                                 {"atom", atom},
                                 {"red", red},
                                 {"cp", cp},
                                 {"membar", membar},
                                 {"fence", fence},
                                 {"prefetch", hint},
                                 {"prefetchu", hint},
                                 {"discard", hint},
                                 {"applypriority", hint},
                                 {"createpolicy", createpolicy},
                                 {"griddepcontrol", griddepcontrol}};

}  // namespace

Emitter memory_emitter(std::string_view word) { return find_emitter(kAll, word); }

}  // namespace cairn::lab::program
