#include "lab/trace/own/run.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "lab/exit.hpp"
#include "lab/profile/process.hpp"
#include "lab/trace/run.hpp"

namespace cairn::lab::trace {
namespace {

std::string arguments_of(const emu::program::ProgramInput& asked) {
  std::string text;
  for (const emu::program::Argument& argument : asked.arguments) text += (text.empty() ? "" : " ") + argument.text;
  return text.empty() ? "no arguments" : text;
}

std::vector<std::string> notes_of(const OwnSource& source, const Scanned& scanned) {
  std::vector<std::string> notes;
  for (const Spot& variable : scanned.variables) {
    notes.push_back(
        fmt::format("{}:{}: '{}' keeps the value it is declared with, since host code is not run; its "
                    "accesses are not counted",
                    named_by_user(variable.file, source.file), variable.line, variable.what));
  }
  return notes;
}

// The program knows the folder of the user's file by another name.
void rename(const std::string& file, emu::program::ProgramOutput& told) {
  const auto rename = [&](std::string& text) { text = named_by_user(std::move(text), file); };
  for (emu::KernelTrace& kernel : told.trace.kernels) {
    for (emu::LineCounters& line : kernel.lines) rename(line.place.file);
  }
  for (emu::Finding& finding : told.trace.findings) {
    rename(finding.what), rename(finding.place.file), rename(finding.other.file);
  }
  rename(told.failure);
}

}  // namespace

bool is_source(const std::string& id) {
  for (const char* ending : {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hpp", ".h"}) {
    if (id.ends_with(ending)) return true;
  }
  return false;
}

OwnSeen trace_own(const OwnRun& wanted, const std::function<bool()>& tick) {
  if (!available()) throw Error(kLacking, "this build has no traced emulator");
  const program::Tools tools = program::find_tools();
  const program::Workplace place;
  const OwnProgram built = build_program(wanted.source, tools, place, tick);

  const std::string question = place / "asked", answer = place / "told";
  {
    std::ofstream out(question, std::ios::binary);
    emu::program::write(out, wanted.asked);
    if (!out.flush()) throw Error(kFailed, fmt::format("cannot write {}", question));
  }
  const profile::Ran ran = profile::run_program({built.path, question, answer}, tick);
  if (tick && !tick()) throw Error(kInterrupted, "interrupted");
  emu::program::ProgramOutput told;
  std::ifstream in(answer, std::ios::binary);
  if (ran.code != 0 || !emu::program::read(in, told)) {
    const std::string how =
        ran.code > 128 ? fmt::format("by signal {}", ran.code - 128) : fmt::format("with code {}", ran.code);
    throw Error(kFailed, fmt::format("the program around {} ended {}; a thread's stack is 128 KiB, and without "
                                     "detectors a wild address ends it too",
                                     wanted.source.kernel, how));
  }
  if (!told.usage.empty()) throw Error(kUsage, told.usage);
  rename(wanted.source.file, told);

  OwnSeen seen;
  seen.run.id = wanted.source.file;
  seen.run.own = arguments_of(wanted.asked);
  seen.run.seed = wanted.asked.seed;
  seen.run.trace = std::move(told.trace);
  // A launch that a detector ended has its finding, which says more.
  const bool caught = told.failure.find(": caught: ") != std::string::npos && !seen.run.trace.findings.empty();
  seen.run.failure = caught ? "the launch ended there" : std::move(told.failure);
  seen.run.buffers = std::move(told.buffers);
  seen.printed = named_by_user(ran.output, wanted.source.file);
  seen.notes = notes_of(wanted.source, built.scanned);
  return seen;
}

std::vector<std::string> buffer_lines(const std::vector<emu::program::Buffer>& buffers) {
  std::vector<std::string> lines;
  lines.reserve(buffers.size());
  for (const emu::program::Buffer& buffer : buffers) {
    std::string line =
        fmt::format("arg {}, {}[{}]:", buffer.argument, emu::program::name(buffer.element), buffer.count);
    for (std::size_t i = 0; i < buffer.first.size(); ++i) {
      line += buffer.written[i] == 0        ? " unset"
              : std::isnan(buffer.first[i]) ? " nan"
                                            : fmt::format(" {:.6g}", buffer.first[i]);
    }
    if (buffer.count > buffer.first.size()) line += " …";
    if (buffer.unwritten > 0) {
      line += fmt::format("; {} of {} elements were never written, the first is [{}]", buffer.unwritten, buffer.count,
                          buffer.gap);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace cairn::lab::trace
