#include "emu/program/kernel_pair.hpp"

#include <algorithm>
#include <utility>

#include "emu/machine/kernel_facts.hpp"
#include "emu/program/elements.hpp"
#include "emu/program/kernel_names.hpp"
#include "emu/trace/access_history.hpp"
#include "emu/trace/collector.hpp"
#include "emu/trace/variables.hpp"

namespace cairn::emu::program {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

void add(std::vector<std::string>& all, const std::string& name) {
  if (!contains(all, name)) all.push_back(name);
}

Memory memory_of(const Output& output) { return {output.after.of.number, output.after.of.bytes}; }

std::string failed(std::uint64_t number, const char* how, const Status& status) {
  return "launch " + std::to_string(number) + " failed" + how + ": " + status.message();
}

}  // namespace

KernelPair::KernelPair(const std::string& first, const std::string& second, std::optional<Element> type)
    : first_(kernels_named(first, kernels_of_program())),
      second_(kernels_named(second, kernels_of_program())),
      asked_(type) {}

Status KernelPair::run(const Launch& launch, std::uint64_t number) {
  const KernelFacts& kernel = kernel_facts(launch.kernel);
  const bool is_first = contains(first_, kernel.name), is_second = contains(second_, kernel.name);
  if (!is_first && !is_second) return run_grid(launch);
  if (is_first) add(seen_.first, kernel.name);
  if (is_second) add(seen_.second, kernel.name);
  add(parameters_, kernel.parameters);

  const Snapshot before = Snapshot::now();
  const Status status = run_grid(launch);
  Run run = look(before, number);
  if (is_second && last_) compare(launch, before, status, run);
  if (is_second && !is_first && !last_) ++seen_.early;
  if (is_first) last_ = status.ok() ? std::optional(std::move(run)) : std::nullopt;
  return status;
}

// A kernel's accesses as the detectors know them; and what it changed unseen, by a function of the host's library.
KernelPair::Run KernelPair::look(const Snapshot& before, std::uint64_t number) {
  Run run;
  run.number = number;
  for (const Contents& was : before.all()) {
    const auto* now = static_cast<const unsigned char*>(was.of.start);
    Touched touched = touched_since(was.of.start, was.of.bytes, launch_blocks());
    for (std::size_t at = 0; at < was.bytes.size(); ++at)
      if (was.bytes[at] != now[at]) touched.written[at] = touched.any = true;
    if (!touched.any) continue;
    run.found.push_back(was);
    if (std::ranges::find(touched.written, true) == touched.written.end()) continue;
    run.outputs.push_back({{was.of, {now, now + was.of.bytes}}, std::move(touched.written)});
  }
  return run;
}

// Whether it accessed an allocation that the first kernel had accessed too, and found something else in it.
bool KernelPair::found_other_data(const Run& second) const {
  return std::ranges::any_of(second.found, [&](const Contents& mine) {
    return std::ranges::any_of(last_->found, [&](const Contents& its) {
      return its.of.number == mine.of.number && its.bytes != mine.bytes;
    });
  });
}

// On the data of the first kernel: allocations that it accessed are as it found them, others as this launch did.
// Afterwards all is as it was.
Status KernelPair::run_again(const Launch& launch, const Snapshot& before, Run& second) const {
  const Snapshot after = Snapshot::now();
  Snapshot data = before;
  for (const Contents& its : last_->found) data.put(its);
  data.restore();
  keep_variables();
  Status status;
  {
    const Aside aside;
    status = run_grid(launch);
    second = look(data, second.number);
  }
  put_variables_back();
  after.restore();
  return status;
}

void KernelPair::compare(const Launch& launch, const Snapshot& before, const Status& status, Run second) {
  Pair pair;
  pair.first = last_->number, pair.second = second.number;
  if (!status.ok()) {
    pair.failure = failed(second.number, "", status);
  } else if (found_other_data(second)) {
    pair.again = true;
    const Status again = run_again(launch, before, second);
    if (!again.ok()) pair.failure = failed(second.number, " on the data of the other", again);
  }
  if (pair.failure.empty()) match(second, pair);
  seen_.pairs.push_back(std::move(pair));
}

void KernelPair::add_difference(const Output& first, const Output& second, Pair& pair) const {
  const Element element = type().value_or(Element::f32);
  const std::size_t size = with_element(element, []<class T>() { return sizeof(T); });
  if (first.after.bytes.size() % size == 0) return pair.buffers.push_back(difference(first, second, element));
  pair.failure = "allocation " + std::to_string(first.after.of.number) + " of " +
                 std::to_string(first.after.bytes.size()) + " bytes is no whole number of " + std::to_string(size) +
                 "-byte elements";
}

// The allocation that both wrote; or else one of each kernel that is the only one of its size.
void KernelPair::match(const Run& second, Pair& pair) const {
  using Outputs = std::vector<const Output*>;
  const auto without_like = [](const std::vector<Output>& of, const std::vector<Output>& among) {
    Outputs alone;
    for (const Output& one : of) {
      const auto same = [&](const Output& other) { return other.after.of.number == one.after.of.number; };
      if (std::ranges::none_of(among, same)) alone.push_back(&one);
    }
    return alone;
  };
  for (const Output& one : last_->outputs) {
    for (const Output& other : second.outputs)
      if (one.after.of.number == other.after.of.number) add_difference(one, other, pair);
  }
  const Outputs firsts = without_like(last_->outputs, second.outputs);
  const Outputs seconds = without_like(second.outputs, last_->outputs);
  // The only one of this size among them; null if there are several or none.
  const auto only = [](const Outputs& among, std::size_t bytes) -> const Output* {
    const auto as_large = [&](const Output* one) { return one->after.of.bytes == bytes; };
    return std::ranges::count_if(among, as_large) == 1 ? *std::ranges::find_if(among, as_large) : nullptr;
  };
  for (const Output* one : firsts) {
    const Output* const other = only(seconds, one->after.of.bytes);
    if (other == nullptr || only(firsts, one->after.of.bytes) == nullptr) {
      pair.only_first.push_back(memory_of(*one));
    } else {
      add_difference(*one, *other, pair);
    }
  }
  for (const Output* one : seconds) {
    const std::size_t bytes = one->after.of.bytes;
    if (only(firsts, bytes) == nullptr || only(seconds, bytes) == nullptr)
      pair.only_second.push_back(memory_of(*one));
  }
}

std::optional<Element> KernelPair::type() const { return asked_ ? asked_ : written_type(parameters_); }

Comparison KernelPair::take() const {
  Comparison seen = seen_;
  seen.type = type().value_or(Element::f32), seen.type_known = type().has_value();
  return seen;
}

}  // namespace cairn::emu::program
