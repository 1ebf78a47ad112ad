#include "lab/experiments/precision_picture.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/table.hpp"

namespace cairn::lab {
namespace {

constexpr double kWidth = 400, kHeight = 300, kTop = 56;             // of a panel, and above the first ones
constexpr double kLeft = 52, kRight = 16, kAbove = 30, kBelow = 34;  // around the axes in a panel
constexpr int kAcross = 2;

// Light and dark; of split there are several ways, whose colours are told apart by more than the type.
constexpr std::string_view kStyle = R"(<style>
text { font: 12px system-ui, sans-serif; fill: #22262b; }
.title { font-size: 15px; font-weight: 600; } .panel { font-weight: 600; } .pale { fill: #6d747c; }
.paper { fill: #fbfaf7; } .grid { stroke: #dcd9d0; stroke-width: 1; }
.line { fill: none; stroke-width: 1.8; } .other { stroke-dasharray: 6 3; }
.f32 { stroke: #22262b; } .tf32 { stroke: #2e7d32; } .f16 { stroke: #b26a00; } .bf16 { stroke: #b3261e; }
.split0 { stroke: #0b57d0; } .split1 { stroke: #8e24aa; } .split2 { stroke: #00838f; } .rest { stroke: #6d747c; }
circle { stroke-width: 1.5; fill: #fbfaf7; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e4df; } .pale { fill: #9aa1a9; } .paper, circle { fill: #16181b; } .grid { stroke: #33373c; }
.f32 { stroke: #e6e4df; } .tf32 { stroke: #81c784; } .f16 { stroke: #ffb74d; } .bf16 { stroke: #ff8a80; }
.split0 { stroke: #8ab4f8; } .split1 { stroke: #ce93d8; } .split2 { stroke: #4dd0e1; } .rest { stroke: #9aa1a9; }
}
</style>
)";

struct Measure {
  const char* title;
  double Erring::*of;
};
Measure measure_of(const std::vector<Erring>& all) {
  if (std::ranges::any_of(all, [](const Erring& one) { return one.rowwise == 0; }))
    return {"Relative error of C", &Erring::error};
  return {"Largest relative error of a row of C", &Erring::rowwise};
}

template <class Of> auto distinct(const std::vector<Erring>& all, Of&& of) {
  std::vector<std::decay_t<decltype(of(all.front()))>> found;
  for (const Erring& one : all)
    if (std::ranges::find(found, of(one)) == found.end()) found.push_back(of(one));
  return found;
}

std::vector<std::string> numbers_of(const std::vector<Erring>& all) {
  return distinct(all, [](const Erring& one) { return one.numbers; });
}
std::vector<std::int64_t> ks_of(const std::vector<Erring>& all) {
  auto ks = distinct(all, [](const Erring& one) { return one.k; });
  std::ranges::sort(ks);
  return ks;
}

bool can_be_drawn(double error) { return std::isfinite(error) && error > 0; }

// A line of the picture and how it looks.
struct Line {
  std::string way, style;
};
std::vector<Line> lines_of(const std::vector<Erring>& all) {
  std::vector<Line> out;
  int splits = 0;
  for (const Erring& one : all) {
    if (std::ranges::any_of(out, [&](const Line& line) { return line.way == one.way(); })) continue;
    const std::string type = one.type.substr(0, one.type.find(':'));
    static constexpr std::string_view kStyled[] = {"f32", "tf32", "f16", "bf16"};
    std::string style = "rest";
    if (type == "split") style = fmt::format("split{}", splits++ % 3);
    if (std::ranges::find(kStyled, type) != std::end(kStyled)) style = type;
    if (one.name.starts_with("cublas")) style += " other";
    out.push_back({one.way(), style});
  }
  return out;
}

std::string label(const char* kind, double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, x, y,
                     anchor, as_html(one_line(text)));
}

std::string rule(const std::string& kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1,
                     x2, y2);
}

std::string power_of_ten(int power) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(power))) text += kDigits[digit - '0'];
  return text;
}

// The axes that all panels share.
class Axes {
 public:
  Axes(const std::vector<Erring>& all, Measure measure) : ks_(ks_of(all)) {
    double least = HUGE_VAL, most = 0;
    for (const Erring& one : all) {
      const double error = one.*measure.of;
      if (!can_be_drawn(error)) continue;
      least = std::min(least, error), most = std::max(most, error);
    }
    if (most == 0) least = most = 1;
    low_ = static_cast<int>(std::floor(std::log10(least)));
    high_ = std::max(low_ + 1, static_cast<int>(std::ceil(std::log10(most))));
  }

  double x(std::int64_t k) const {
    const auto log = [](std::int64_t n) { return std::log2(static_cast<double>(n)); };
    const double room = kWidth - kLeft - kRight, span = log(ks_.back()) - log(ks_.front());
    return kLeft + room * (span == 0 ? 0.5 : 0.04 + 0.92 * (log(k) - log(ks_.front())) / span);
  }
  double y(double error) const {
    return kAbove + (kHeight - kAbove - kBelow) * (high_ - std::log10(error)) / (high_ - low_);
  }
  std::string drawn() const {
    std::string out;
    for (int power = low_; power <= high_; ++power) {
      const double at = y(std::pow(10.0, power));
      out += rule("grid", kLeft, at, kWidth - kRight, at);
      out += label("pale", kLeft - 6, at + 4, "end", power_of_ten(power));
    }
    for (const std::int64_t k : ks_) {
      out += rule("grid", x(k), kAbove, x(k), kHeight - kBelow);
      out += label("pale", x(k), kHeight - kBelow + 16, "middle", fmt::format("{}", k));
    }
    return out;
  }

 private:
  std::vector<std::int64_t> ks_;
  int low_ = 0, high_ = 1;
};

std::string line(const std::vector<Erring>& all, const std::string& numbers, const Line& line, const Axes& axes,
                 Measure measure) {
  std::string points, dots;
  for (const Erring& one : all) {
    const double error = one.*measure.of;
    if (one.numbers != numbers || one.way() != line.way || !can_be_drawn(error)) continue;
    const double x = axes.x(one.k), y = axes.y(error);
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    dots += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"><title>{}</title></circle>\n",
                        line.style.substr(0, line.style.find(' ')), x, y,
                        as_html(one_line(fmt::format("{}, K = {}: {:.2e}", line.way, one.k, error))));
  }
  if (points.empty()) return "";
  return fmt::format("<polyline class=\"line {}\" points=\"{}\"><title>{}</title></polyline>\n{}", line.style, points,
                     as_html(one_line(line.way)), dots);
}

// Where a panel stands; the legend is the last one.
std::string placed(std::size_t index, const std::string& inside) {
  const std::size_t col = index % kAcross, row = index / kAcross;
  return fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", static_cast<double>(col) * kWidth,
                     kTop + static_cast<double>(row) * kHeight, inside);
}

std::string legend(const std::vector<Line>& lines) {
  std::string out;
  double y = kAbove + 10;
  for (const Line& one : lines) {
    out += rule("line " + one.style, kLeft, y, kLeft + 40, y);
    out += label("", kLeft + 50, y + 4, "start", one.way);
    y += 20;
  }
  return out;
}

}  // namespace

std::string error_picture(const std::vector<Erring>& all, const std::string& machine) {
  const Measure measure = measure_of(all);
  const Axes axes(all, measure);
  const std::vector<Line> lines = lines_of(all);
  std::string inside = label("title", 20, 24, "start", fmt::format("{} over K", measure.title));
  inside += label("pale", 20, 42, "start", machine);
  std::size_t panels = 0;
  for (const std::string& numbers : numbers_of(all)) {
    std::string panel = axes.drawn() + label("panel", kLeft, kAbove - 8, "start", numbers);
    for (const Line& one : lines) panel += line(all, numbers, one, axes, measure);
    inside += placed(panels++, panel);
  }
  inside += placed(panels++, legend(lines));
  const std::size_t rows = (panels + kAcross - 1) / kAcross;
  const double height = kTop + static_cast<double>(rows) * kHeight;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>{2} over K</title>\n{3}"
      "<rect class=\"paper\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n{4}</svg>\n",
      kAcross * kWidth, height, measure.title, kStyle, inside);
}

std::string error_table(const std::vector<Erring>& all) {
  const Measure measure = measure_of(all);
  const auto ks = ks_of(all);
  Table table;
  table.columns = {{"numbers", "A and B", Align::left}, {"way", "by", Align::left}};
  for (const std::int64_t k : ks) table.columns.push_back({fmt::format("k_{}", k), fmt::format("K = {}", k)});
  for (const std::string& numbers : numbers_of(all)) {
    for (const Line& one : lines_of(all)) {
      std::vector<Cell> cells = {numbers, one.way};
      bool any = false;
      for (const std::int64_t k : ks) {
        const auto found = std::ranges::find_if(
            all, [&](const Erring& of) { return of.numbers == numbers && of.way() == one.way && of.k == k; });
        cells.emplace_back();
        if (found == all.end()) continue;
        cells.back() = fmt::format("{:.2e}", (*found).*measure.of), any = true;
      }
      if (any) table.rows.push_back(std::move(cells));
    }
  }
  return fmt::format("{}:\n\n{}", measure.title, render(table, Format::md));
}

}  // namespace cairn::lab
