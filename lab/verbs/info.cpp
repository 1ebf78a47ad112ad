// cairn info: this build and the devices of this machine; and which lane holds which element of a tensor-core tile.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/fragments.hpp"
#include "lab/options.hpp"
#include "lab/record/record.hpp"
#include "lab/verbs/verbs.hpp"
#include "runtime/runtime.hpp"
#include "src/dispatch/f32.hpp"

namespace cairn::lab {
namespace {

// 0 in a device's facts means "does not apply".
Cell number(std::int64_t value) { return value == 0 ? Cell{} : Cell{value}; }

Table device_table() {
  Table table;
  table.upright = true;
  table.columns = {{"device", "device"},
                   {"name", "name"},
                   {"units", "SMs or hardware threads"},
                   {"arch", "architecture sm_"},
                   {"memory_bytes", "memory, bytes"},
                   {"cache_bytes", "last-level cache, bytes"},
                   {"shared_bytes", "shared memory a block, bytes"},
                   {"clock_mhz", "clock, MHz"},
                   {"software", "software"}};
  for (const runtime::Facts& facts : runtime::devices()) {
    table.rows.push_back({device_name(facts), facts.name, number(facts.units), number(facts.arch),
                          number(facts.memory_bytes), number(facts.cache_bytes), number(facts.shared_bytes),
                          number(facts.clock_mhz), facts.software});
  }
  return table;
}

// What handles begin with. A value that they would refuse is told, and the rest with it: it is for bug reports.
struct F32 {
  dispatch::SplitBy by = dispatch::SplitBy::nobody;
  Status refused = dispatch::split_by_environment(by);

  std::string line() const {
    if (!refused.ok()) return refused.message() + ", and until then no handle can be opened";
    if (by == dispatch::SplitBy::nobody)
      return "f32 is IEEE f32; with CAIRN_F32=split GPUs would compute it as split";
    return "f32 is computed as split on GPUs and on the emulator, as CAIRN_F32 asks; on the CPU it stays IEEE f32";
  }
  nlohmann::ordered_json json() const {
    if (!refused.ok()) return refused.message();
    return name(by == dispatch::SplitBy::nobody ? Compute::native : Compute::split);
  }
};

struct Options {
  std::string what;
  FragmentQuestion fragment;
  std::string svg;
  OutputOptions output;
};

int tell_fragment(const Options& options) {
  const Output output(options.output);
  const OutputOptions picture = beside(options.output, "--svg", options.svg);
  const FragmentAnswer answer = parse(options.fragment);
  if (!options.svg.empty()) {
    const bool only = options.output.out.empty() && options.output.format.empty();  // the picture is all
    if (!only) expect_distinct({options.output, picture});
    Output(picture).write(fragment_picture(answer));
    if (only) return kGood;
  }
  if (output.format() == Format::csv || output.format() == Format::json) {
    output.write(render(fragment_list(answer), output.format()));
  } else {
    output.write(fragment_report(answer));
  }
  return kGood;
}

int tell_build(const Options& options) {
  const Output output(options.output);
  Report report;
  const record::Build build = record::this_build();
  report.before = {fmt::format("cairn {} · {} build · {} · OpenBLAS {} · CUDA {}", build.version, build.type,
                               build.compiler, build.openblas ? "yes" : "no", build.cuda ? "yes" : "no"),
                   fmt::format("commit {}", build.commit)};
  const F32 f32;
  report.before.push_back(f32.line());
  report.table = device_table();
  if (output.format() != Format::json) {
    output.write(report);
    return kGood;
  }
  nlohmann::ordered_json json;
  json["version"] = build.version;
  json["commit"] = build.commit;
  json["build_type"] = build.type;
  json["compiler"] = build.compiler;
  json["openblas"] = build.openblas;
  json["cuda"] = build.cuda;
  json["f32"] = f32.json();
  json["devices"] = nlohmann::ordered_json::parse(render(report.table, Format::json));
  output.write(json.dump(2) + "\n");
  return kGood;
}

int run(const Options& options) {
  if (options.what == "fragment") return tell_fragment(options);
  if (!options.what.empty())
    throw Error(kUsage,
                fmt::format("info '{}' is not known; write fragment, or nothing for this build", options.what));
  const FragmentQuestion& f = options.fragment;
  for (const std::string* word : {&f.op, &f.type, &f.operand, &f.shape, &options.svg}) {
    if (!word->empty())
      throw Error(kUsage, fmt::format("'{}' belongs to a flag of cairn info fragment; add the word fragment", *word));
  }
  return tell_build(options);
}

}  // namespace

Action info_verb(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  verb.description(
      "Say what this build and this machine are\n"
      "What to put at the top of a bug report or beside a measurement. `cairn info fragment` says which lane\n"
      "of a warp, or thread of a warpgroup, holds which element of a tile, for tensor cores; --svg draws it.");
  verb.footer(examples({"cairn info", "cairn info --format json", "cairn info fragment --op wmma --operand a",
                        "cairn info fragment --op mma --type tf32 --format csv",
                        "cairn info fragment --op wgmma --type bf16 --shape 64x256x16"}));
  verb.add_option("WHAT", options->what, "fragment: the elements of a tile; this build if not given");
  const auto add = [&](auto* option) { option->group("fragment"); };
  FragmentQuestion& question = options->fragment;
  add(verb.add_option("--op", question.op, "mma, wmma or wgmma; mma if not given"));
  add(verb.add_option("--type", question.type, "Of A and B: f16, bf16, tf32, e4m3 or f64; f16 if not given"));
  add(verb.add_option("--operand", question.operand, "a, b or c (the accumulators); all if not given"));
  add(verb.add_option("--shape", question.shape, "Such as 16x8x16; the first there is if not given"));
  add(verb.add_option("--svg", options->svg, "Draw it into this file"));
  add_output_flags(verb, options->output);
  return [options] { return run(*options); };
}

}  // namespace cairn::lab
