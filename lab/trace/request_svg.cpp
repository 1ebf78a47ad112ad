#include "lab/trace/request_svg.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lab/escape.hpp"

namespace cairn::lab::trace {
namespace {

using emu::Request;

constexpr unsigned kLanes = 32, kBanks = 32, kWord = 4, kSector = 32, kLine = 128;

bool asks(const Request& request, unsigned lane) { return (request.lanes >> lane & 1u) != 0; }

Request only(const Request& request, std::uint32_t lanes) {
  Request part = request;
  part.lanes &= lanes;
  return part;
}

std::uint64_t unit(const Request& request, unsigned lane) {
  return request.address[lane] / std::max(kWord, request.bytes);
}

unsigned bank(const Request& request, unsigned lane) {
  return static_cast<unsigned>(request.address[lane] / kWord % kBanks);
}

// The lane before this one that is served together with it, as it wants the same word; -1 if there is none.
int companion(const Request& request, unsigned lane) {
  for (unsigned before = 0; before < lane; ++before) {
    if (!asks(request, before) || unit(request, before) != unit(request, lane)) continue;
    if (emu::wavefronts(only(request, 1u << before | 1u << lane)).all == 1) return static_cast<int>(before);
  }
  return -1;
}

// Calm for what has to be, then from yellow to red with the number of words that were waited for.
std::string heat(int turn, unsigned least, unsigned all) {
  if (turn < static_cast<int>(least)) return "var(--calm)";
  const double share = (turn - static_cast<double>(least) + 1) / std::max(1.0, static_cast<double>(all - least));
  return fmt::format("hsl({:.0f} 85% {:.0f}%)", 48 - 48 * std::min(1.0, share), 58 - 12 * std::min(1.0, share));
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, as_html(text));
}

std::string rect(const char* kind, double x, double y, double width, double height, const std::string& fill = "") {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"{}/>", kind, x,
                     y, width, height, fill.empty() ? "" : fmt::format(" style=\"fill:{}\"", fill));
}

std::string svg(double width, double height, const std::string& title, const std::string& inside) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n"
      "<title>{2}</title>\n{3}</svg>\n",
      width, height, as_html(title), inside);
}

// The lines of 128 bytes that a request touches, in order, and in each the bytes asked for.
std::map<std::uint64_t, std::set<unsigned>> touched_lines(const Request& request) {
  std::map<std::uint64_t, std::set<unsigned>> lines;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!asks(request, lane)) continue;
    for (unsigned byte = 0; byte < request.bytes; ++byte) {
      const std::uint64_t at = request.address[lane] + byte;
      lines[at / kLine].insert(static_cast<unsigned>(at % kLine));
    }
  }
  return lines;
}

// One line of 128 bytes: its sectors, and in those that move, runs of bytes that were asked for.
std::string line_of_sectors(const std::set<unsigned>& bytes, double x, double y, double pixels, double height) {
  std::string out;
  for (unsigned sector = 0; sector < kLine / kSector; ++sector) {
    const auto first = bytes.lower_bound(sector * kSector), last = bytes.lower_bound((sector + 1) * kSector);
    const double left = x + sector * (kSector * pixels + 3);
    out += rect(first == last ? "idle" : "moved", left, y, kSector * pixels, height);
    for (auto byte = first; byte != last;) {
      const unsigned begin = *byte;
      unsigned end = begin;
      while (byte != last && *byte == end) ++end, ++byte;
      out += rect("asked", left + (begin % kSector) * pixels, y + 2, (end - begin) * pixels, height - 4);
    }
  }
  return out + "\n";
}

}  // namespace

std::array<int, 32> turns(const Request& request) {
  std::array<int, 32> result;
  result.fill(-1);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!asks(request, lane)) continue;
    if (const int with = companion(request, lane); with >= 0) {
      result[lane] = result[static_cast<unsigned>(with)];
      continue;
    }
    std::uint32_t queue = 1u << lane;  // at the same bank, up to this lane
    for (unsigned before = 0; before < lane; ++before) {
      if (asks(request, before) && bank(request, before) == bank(request, lane)) queue |= 1u << before;
    }
    result[lane] = static_cast<int>(emu::wavefronts(only(request, queue)).all) - 1;
  }
  return result;
}

std::string bank_picture(const Request& request) {
  constexpr double cell = 13, left = 58, top = 30, foot = 62;
  const std::array<int, 32> turn = turns(request);
  const emu::Wavefronts taken = emu::wavefronts(request);
  std::string out = label(left, 12, "start", "bank");
  for (unsigned b = 0; b < kBanks; b += 4) out += label(left + b * cell + cell / 2, 26, "middle", std::to_string(b));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const double y = top + lane * cell;
    out += fmt::format("<g class=\"lane\" data-lane=\"{}\">\n", lane);
    if (lane % 4 == 0) out += label(left - 6, y + 11, "end", fmt::format("lane {}", lane));
    out += rect("empty", left, y, kBanks * cell - 1, cell - 1);
    const unsigned words = asks(request, lane) ? std::max(1u, request.bytes / kWord) : 0;
    for (unsigned word = 0; word < words; ++word) {
      const unsigned at = (bank(request, lane) + word) % kBanks;
      out += fmt::format(
          "<g><title>lane {}, bank {}, word {}: turn {}</title>{}</g>\n", lane, at,
          request.address[lane] / kWord + word, turn[lane] + 1,
          rect("word", left + at * cell, y, cell - 1, cell - 1, heat(turn[lane], taken.least, taken.all)));
    }
    out += "</g>\n";
  }
  // What each bank has to deliver, as bars that hang from the grid.
  const std::array<unsigned, 32> words = emu::words_per_bank(request);
  const unsigned most = std::max(1u, *std::ranges::max_element(words));
  const double bars = top + kLanes * cell + 6;
  out += label(left - 6, bars + 12, "end", "words");
  for (unsigned b = 0; b < kBanks; ++b) {
    const double height = words[b] * 36.0 / most;
    out += rect("bar", left + b * cell, bars, cell - 1, height) + "\n";
    if (words[b] > 0 && (words[b] == most) && (b == 0 || words[b - 1] != most))
      out += label(left + b * cell + cell / 2, bars + height + 13, "middle", std::to_string(words[b]));
  }
  return svg(left + kBanks * cell + 4, top + kLanes * cell + foot, "Which lane asks which bank of shared memory",
             out);
}

std::string sector_picture(const Request& request) {
  constexpr double step = 16, left = 58, gap = 60, pixels = 3, top = 22;
  const auto lines = touched_lines(request);
  if (lines.empty()) return "";
  const double x = left + gap, rows = std::max<double>(kLanes, static_cast<double>(lines.size()));
  const double first = top + (rows - static_cast<double>(lines.size())) * step / 2;
  const std::uint64_t base = lines.begin()->first;
  std::map<std::uint64_t, double> middle;
  std::string shown = label(x, 13, "start", "lines of 128 bytes, in sectors of 32");
  double y = first;
  for (const auto& [line, bytes] : lines) {
    shown += line_of_sectors(bytes, x, y, pixels, step - 3);
    shown += label(x + kLine * pixels + 16, y + 11, "start", fmt::format("+{}", (line - base) * kLine));
    middle[line] = y + (step - 3) / 2;
    y += step;
  }
  std::string out;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const double from = top + lane * step + (step - 3) / 2 + (rows - kLanes) * step / 2;
    out += fmt::format("<g class=\"lane\" data-lane=\"{}\">\n", lane);
    if (lane % 4 == 0) out += label(left - 6, from + 4, "end", fmt::format("lane {}", lane));
    out += fmt::format("<circle class=\"{}\" cx=\"{:.0f}\" cy=\"{:.1f}\" r=\"3\"/>\n",
                       asks(request, lane) ? "asks" : "rests", left + 4, from);
    if (asks(request, lane)) {
      const double to = middle.at(request.address[lane] / kLine);
      out += fmt::format("<path class=\"way\" d=\"M{:.0f} {:.1f} C{:.0f} {:.1f} {:.0f} {:.1f} {:.0f} {:.1f}\"/>\n",
                         left + 8, from, left + 8 + gap / 2, from, x - gap / 2, to, x - 3, to);
    }
    out += "</g>\n";
  }
  return svg(x + kLine * pixels + 70, top + rows * step + 6, "Which bytes the lanes ask for, and which sectors move",
             out + shown);
}

}  // namespace cairn::lab::trace
