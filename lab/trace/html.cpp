#include "lab/trace/html.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/invocation.hpp"
#include "lab/trace/findings.hpp"
#include "lab/trace/html_style.hpp"
#include "lab/trace/ratios.hpp"
#include "lab/trace/request_svg.hpp"
#include "lab/trace/show.hpp"

namespace cairn::lab::trace {
namespace {

using emu::Counters;
using emu::KernelTrace;
using emu::LineCounters;

// Thousands apart, for the eye: "16,777,216".
std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string if_any(std::uint64_t value) { return value == 0 ? "" : grouped(value); }

std::string two_digits(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : ""; }

// Every kernel of every run, in the order of the page.
template <class F> void for_each_kernel(const Runs& runs, F f) {
  for (const Traced& run : runs) {
    for (const KernelTrace& kernel : run.trace.kernels) f(run, kernel);
  }
}

// C++ names may be broken between their parts, so that the columns of several kernels fit the page.
std::string breakable(const std::string& text) {
  std::string out = as_html(text);
  for (std::size_t at = 0; (at = out.find("::", at)) != std::string::npos; at += 7) out.insert(at + 2, "<wbr>");
  return out;
}

// One row of the counters: the title, and a cell for each kernel. Titles stay in view while the kernels are scrolled.
template <class F>
std::string counters_row(const std::string& title, const Runs& runs, F text, const char* tag = "td") {
  std::string row = fmt::format("<tr><th>{}</th>", as_html(title));
  bool any = false;
  for_each_kernel(runs, [&](const Traced& run, const KernelTrace& kernel) {
    const std::string cell = text(run, kernel);
    any = any || !cell.empty();
    row += fmt::format("<{0}>{1}</{0}>", tag, breakable(cell));
  });
  return any ? row + "</tr>\n" : "";
}

std::string counters(const Runs& runs) {
  std::string rows = counters_row(
      is_own(runs) ? "file" : "rung", runs, [](const Traced& run, const KernelTrace&) { return run.id; }, "th");
  rows += counters_row("kernel", runs, [](const Traced&, const KernelTrace& kernel) { return kernel.name; });
  rows += counters_row(is_own(runs) ? "arguments" : "problem", runs,
                       [](const Traced& run, const KernelTrace&) { return run.brief(); });
  rows += counters_row("grid of blocks", runs,
                       [](const Traced&, const KernelTrace& kernel) { return extents(kernel.grid); });
  rows += counters_row("block of threads", runs,
                       [](const Traced&, const KernelTrace& kernel) { return extents(kernel.block); });
  for (const Ratio& one : ratios()) {
    rows += counters_row(one.title, runs, [&](const Traced&, const KernelTrace& kernel) {
      return two_digits(one.of(kernel.counters));
    });
  }
  for (const emu::CounterName& name : emu::counter_names()) {
    rows += counters_row(title_of(name.key), runs, [&](const Traced&, const KernelTrace& kernel) {
      return if_any(kernel.counters.*name.value);
    });
  }
  return fmt::format("<h3>Counters</h3>\n<div class=\"wide\"><table class=\"counters\">\n{}</table></div>\n", rows);
}

std::string source_row(const SourceLine& line, std::uint64_t hottest) {
  const Counters c = line.seen == nullptr ? Counters{} : line.seen->counters;
  const double share = hottest == 0 ? 0 : static_cast<double>(excess(c)) / static_cast<double>(hottest);
  const std::string colour = fmt::format("rgba(221,84,32,{:.2f})", excess(c) == 0 ? 0 : 0.15 + 0.85 * share);
  const std::string wash = fmt::format("rgba(221,84,32,{:.2f})", 0.16 * share);
  return fmt::format(
      "<tr style=\"background:{}\"><td class=\"heat\" style=\"background:{}\"></td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
      wash, colour, if_any(global_requests(c)), two_digits(sectors_a_request(c)), if_any(shared_requests(c)),
      two_digits(wavefronts_a_request(c)), if_any(bank_conflicts(c)), line.number, as_html(line.text));
}

std::string source(const KernelTrace& kernel, const std::vector<Listing>& all) {
  std::uint64_t hottest = 0;
  for (const LineCounters& line : kernel.lines) hottest = std::max(hottest, excess(line.counters));
  std::string out = "<h3>The source, and what each line costs</h3>\n";
  for (const Listing& listing : all) {
    if (listing.lines.empty()) {
      out += fmt::format("<p class=\"faint\">{} cannot be read from here, or has changed: no listing.</p>\n",
                         as_html(listing.file));
      continue;
    }
    out += "<div class=\"wide\"><table class=\"source\">\n";
    out += fmt::format(
        "<tr><th></th><th>global requests</th><th>sectors each</th><th>shared requests</th><th>wavefronts each</th>"
        "<th>bank conflicts</th><th></th><th>{}</th></tr>\n",
        as_html(listing.file));
    for (const SourceLine& line : listing.lines) out += source_row(line, hottest);
    out += "</table></div>\n";
  }
  return out;
}

std::string place(const LineCounters& line) {
  return fmt::format("<code>{}:{}</code>", as_html(line.place.file), line.place.line);
}

// What a colour means.
std::string key(const char* colour, const char* text) {
  return fmt::format("<span class=\"key\"><i style=\"background:{}\"></i>{}</span> ", colour, text);
}

std::string figure(const char* title, const std::string& caption, const std::string& keys,
                   const std::string& picture) {
  return fmt::format("<figure><h3>{}</h3><figcaption>{}<div>{}</div></figcaption>\n{}</figure>\n", title, caption,
                     keys, picture);
}

std::string global_figure(const LineCounters& line) {
  const emu::Request& request = line.worst_global;
  const unsigned lanes = static_cast<unsigned>(std::popcount(request.lanes)), moved = emu::sectors(request);
  const std::string caption =
      fmt::format("{}, {}: {} lanes ask for {} bytes each, {} in all; {} sectors move, {} bytes.", place(line),
                  as_html(line.worst_global_who), lanes, request.bytes, lanes * request.bytes, moved, 32 * moved);
  return figure("The worst global request", caption,
                key("var(--asked)", "asked for") + key("var(--moved)", "moved along with it") +
                    key("var(--idle)", "stays where it is"),
                sector_picture(request));
}

std::string shared_figure(const LineCounters& line) {
  const emu::Request& request = line.worst_shared;
  const emu::Wavefronts taken = emu::wavefronts(request);
  const std::string verdict = taken.conflicts() == 0
                                  ? "none of them is a conflict"
                                  : fmt::format("{} would do, so {} are conflicts", taken.least, taken.conflicts());
  const std::string caption =
      fmt::format("{}, {}: {} bytes a lane, {} wavefront{}; {}.", place(line), as_html(line.worst_shared_who),
                  request.bytes, taken.all, taken.all == 1 ? "" : "s", verdict);
  return figure("The worst shared request", caption,
                key("var(--calm)", "in time") + key("hsl(20 85% 50%)", "has to wait; the redder, the longer"),
                bank_picture(request));
}

std::string pictures(const KernelTrace& kernel) {
  std::string out;
  if (const LineCounters* line = worst_global(kernel)) out += global_figure(*line);
  if (const LineCounters* line = worst_shared(kernel)) out += shared_figure(*line);
  return out.empty() ? "" : "<h3>One request of a warp</h3>\n<div class=\"pictures\">\n" + out + "</div>\n";
}

std::string findings(const Runs& runs) {
  const std::vector<std::string> lines = alarms(runs);
  if (lines.empty()) return "";
  std::string out = "<h3>Findings</h3>\n<ul class=\"findings\">\n";
  for (const std::string& line : lines) out += fmt::format("<li>{}</li>\n", as_html(line));
  return out + "</ul>\n";
}

constexpr const char* kLegend =
    "<h2>The words</h2>\n<dl>\n"
    "<dt>request</dt><dd>One instruction of a warp that reads or writes memory, for all its lanes together.</dd>\n"
    "<dt>TMA request</dt><dd>One instruction that copies a whole box, so its sectors are many; ratios of sectors a "
    "global "
    "load or store leave it out.</dd>\n"
    "<dt>sector</dt><dd>32 bytes, the least that global memory moves; a line of a cache has four.</dd>\n"
    "<dt>wavefront</dt><dd>One pass through shared memory, in which each of its 32 banks delivers one word of 4 "
    "bytes, "
    "to any number of lanes.</dd>\n"
    "<dt>bank conflict</dt><dd>A wavefront that is needed only because lanes want different words of one bank.</dd>\n"
    "<dt>excess</dt><dd>Sectors beyond the least that hold the bytes asked for, plus bank conflicts; the margin of "
    "the "
    "source is as warm as the line's excess.</dd>\n</dl>\n"
    "<p class=\"faint\" style=\"margin-top:16px\">Counted by the emulator, of the source as written. A GPU’s "
    "compiler "
    "merges, drops and moves accesses; its counters come from <code>cairn profile</code>.</p>\n";

}  // namespace

std::string to_html(const Runs& runs, const std::vector<std::string>& roots) {
  std::vector<std::string> names, subjects;
  for (const Traced& run : runs) {
    names.push_back(run.id);
    subjects.push_back(fmt::format("{}, {}, seed {}", run.id, run.brief(), run.seed));
  }
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>cairn trace: {}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p class=\"faint\">{}</p>\n",
      as_html(fmt::format("{}", fmt::join(subjects, "; "))), kStyle,
      as_html(fmt::format("{}", fmt::join(names, ", "))), as_html(fmt::format("{}", fmt::join(subjects, " · "))));
  if (!invocation().empty()) out += fmt::format("<p class=\"faint\"><code>{}</code></p>\n", as_html(invocation()));
  out += findings(runs);
  out += counters(runs);
  for_each_kernel(runs, [&](const Traced& run, const KernelTrace& kernel) {
    out += fmt::format("<h2>{}</h2>\n<p class=\"faint\">{}, {} · seed {} · {} blocks of {} threads</p>\n",
                       as_html(kernel.name), as_html(run.id), as_html(run.brief()), run.seed, extents(kernel.grid),
                       extents(kernel.block));
    out += source(kernel, listings(kernel, roots));
    out += pictures(kernel);
  });
  return out + kLegend + "</main>\n</body>\n</html>\n";
}

}  // namespace cairn::lab::trace
