#include "lab/fragments.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

using fragment::Kind;
using fragment::Op;
using fragment::Operand;
using fragment::Type;

constexpr std::pair<const char*, Op> kOps[] = {{"mma", Op::mma}, {"wmma", Op::wmma}, {"wgmma", Op::wgmma}};
constexpr std::pair<const char*, Type> kTypes[] = {
    {"f16", Type::f16}, {"bf16", Type::bf16}, {"tf32", Type::tf32}, {"e4m3", Type::e4m3}, {"f64", Type::f64}};
constexpr std::pair<const char*, Operand> kOperands[] = {{"a", Operand::a}, {"b", Operand::b}, {"c", Operand::c}};

template <class T, std::size_t n>
T find(const char* flag, const std::string& word, const std::pair<const char*, T> (&all)[n]) {
  std::string words;
  for (const auto& [name, value] : all) {
    if (word == name) return value;
    words += (words.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(kUsage, fmt::format("{} '{}': there are {}", flag, word, words));
}
template <class T, std::size_t n> const char* name(T wanted, const std::pair<const char*, T> (&all)[n]) {
  for (const auto& [word, value] : all) {
    if (value == wanted) return word;
  }
  return "";
}

std::string shape_name(const fragment::Shape& shape) { return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k); }

std::string title(const Kind& kind, Operand operand) {
  return fmt::format("{} of {} {}: {}, {} x {}", name(kind.op, kOps), name(kind.type, kTypes), shape_name(kind.shape),
                     name(operand, kOperands), rows(kind.shape, operand), cols(kind.shape, operand));
}

// The lane that holds the element at a place, and which of the lane's elements it is; duplicates are left out.
struct Holder {
  int lane = 0, element = 0;
};
std::map<std::pair<int, int>, Holder> holders(const Kind& kind, Operand operand) {
  std::map<std::pair<int, int>, Holder> all;
  for (int lane = 0; lane < lanes(kind); ++lane) {
    for (int i = 0; i < distinct(kind, operand); ++i) {
      const fragment::Place at = place(kind, operand, lane, i);
      all[{at.row, at.col}] = {lane, i};
    }
  }
  return all;
}

Table grid(const Kind& kind, Operand operand) {
  Table table;
  table.in_blocks = true;
  table.columns = {{"row", "row"}};
  for (int col = 0; col < cols(kind.shape, operand); ++col)
    table.columns.push_back({fmt::format("col_{}", col), std::to_string(col)});
  const auto all = holders(kind, operand);
  for (int row = 0; row < rows(kind.shape, operand); ++row) {
    std::vector<Cell> cells = {std::int64_t{row}};
    cells.reserve(table.columns.size());
    for (int col = 0; col < cols(kind.shape, operand); ++col) {
      const Holder& holder = all.at({row, col});
      cells.emplace_back(fmt::format("{}:{}", holder.lane, holder.element));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

int in_register(const Kind& kind, Operand operand) {
  if (operand == Operand::c || kind.type == Type::tf32 || kind.type == Type::f64) return 1;
  return kind.type == Type::e4m3 ? 4 : 2;
}

const char* holder_word(const Kind& kind) { return kind.op == Op::wgmma ? "thread" : "lane"; }

std::string how_to_read(const Kind& kind) {
  if (kind.op == Op::wmma) return "lane:element, where element i is x[i] of the fragment. Rows down, columns across.";
  const std::string word = holder_word(kind), sides = kind.op == Op::wgmma ? "a" : "a and b";
  if (kind.type == Type::tf32) return word + ":register. Rows down, columns across.";
  if (kind.type == Type::f64) return word + ":register, of 64 bits. Rows down, columns across.";
  return word + ":element, where element i of " + sides +
         (kind.type == Type::e4m3 ? " is byte i % 4 of register i / 4" : " is half i % 2 of register i / 2") +
         ", and of c register i. Rows down, columns across.";
}

// Those of an operation and a type, as it lists them.
std::vector<Kind> kinds_of(Op op, Type type) {
  std::vector<Kind> all;
  for (const Kind& kind : fragment::kinds) {
    if (kind.op == op && kind.type == type) all.push_back(kind);
  }
  for (int n = 8; op == Op::wgmma && type != Type::f64 && n <= 256; n += 8)
    all.push_back({op, type, {64, n, fragment::group_depth(type)}});
  return all;
}

// "16x8x16, 16x8x8"; of many, the first ones and the last.
std::string shape_list(const std::vector<Kind>& kinds) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds.size() > most && i >= 2 && i + 1 < kinds.size()) continue;
    text += (text.empty() ? "" : ", ") + std::string(kinds.size() > most && i > 2 ? "… " : "") +
            shape_name(kinds[i].shape);
  }
  return text;
}

}  // namespace

FragmentAnswer parse(const FragmentQuestion& question) {
  FragmentAnswer answer;
  const Op op = find("--op", question.op.empty() ? "mma" : question.op, kOps);
  const Type type = find("--type", question.type.empty() ? "f16" : question.type, kTypes);
  const std::vector<Kind> all = kinds_of(op, type);
  if (all.empty())
    throw Error(kUsage, fmt::format("--type '{}': there is no {} of this type here; {} has it", name(type, kTypes),
                                    name(op, kOps), type == Type::f64 ? "mma" : "wgmma"));
  const auto found = std::ranges::find_if(
      all, [&](const Kind& kind) { return question.shape.empty() || question.shape == shape_name(kind.shape); });
  if (found == all.end()) {
    throw Error(kUsage, fmt::format("--shape '{}': {} of {} has {}", question.shape, name(op, kOps),
                                    name(type, kTypes), shape_list(all)));
  }
  answer.kind = *found;
  if (op == Op::wgmma && question.operand == "b")
    throw Error(kUsage, "--operand 'b': wgmma reads B from shared memory, not from registers; choose a or c");
  if (question.operand.empty()) {
    answer.operands = {Operand::a, Operand::b, Operand::c};
    if (op == Op::wgmma) std::erase(answer.operands, Operand::b);
  } else {
    answer.operands = {find("--operand", question.operand, kOperands)};
  }
  return answer;
}

Report fragment_report(const FragmentAnswer& answer) {
  const Kind& kind = answer.kind;
  Report report;
  report.before = {how_to_read(kind)};
  for (const Operand operand : answer.operands) {
    std::string heading = title(kind, operand);
    if (held(kind, operand) > distinct(kind, operand)) {
      heading += fmt::format(". Elements from {} on are the same again, up to {}.", distinct(kind, operand),
                             held(kind, operand) - 1);
    }
    if (operand == answer.operands.front()) {
      report.before.push_back(std::move(heading));
      report.table = grid(kind, operand);
    } else {
      report.sections.push_back({std::move(heading), grid(kind, operand)});
    }
  }
  if (kind.op == Op::wmma) {
    report.after.emplace_back("CUDA does not promise where wmma puts an element: this is so on sm_80 to sm_90.");
  }
  return report;
}

Table fragment_list(const FragmentAnswer& answer) {
  const Kind& kind = answer.kind;
  Table table;
  table.columns = {{"op", "op"},   {"type", "type"}, {"shape", "shape"},     {"operand", "operand"},  {"row", "row"},
                   {"col", "col"}, {"lane", "lane"}, {"element", "element"}, {"register", "register"}};
  for (const Operand operand : answer.operands) {
    for (int lane = 0; lane < lanes(kind); ++lane) {
      for (int i = 0; i < held(kind, operand); ++i) {
        const fragment::Place at = place(kind, operand, lane, i);
        table.rows.push_back({name(kind.op, kOps), name(kind.type, kTypes), shape_name(kind.shape),
                              name(operand, kOperands), std::int64_t{at.row}, std::int64_t{at.col},
                              std::int64_t{lane}, std::int64_t{i}, std::int64_t{i / in_register(kind, operand)}});
      }
    }
  }
  return table;
}

std::string fragment_picture(const FragmentAnswer& answer) {
  constexpr int width = 44, height = 30, left = 36, heading = 46, gap = 14;
  const Kind& kind = answer.kind;
  std::string inside;
  int y = 8, widest = 0;
  for (const Operand operand : answer.operands) {
    const int across = cols(kind.shape, operand), down = rows(kind.shape, operand);
    widest = std::max(widest, left + across * width + 12);
    inside += fmt::format("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", left, y + 16, title(kind, operand));
    for (int col = 0; col < across; ++col)
      inside += fmt::format("<text class=\"index\" x=\"{}\" y=\"{}\">{}</text>\n", left + col * width + width / 2,
                            y + heading - 6, col);
    for (int row = 0; row < down; ++row)
      inside += fmt::format("<text class=\"index\" x=\"{}\" y=\"{}\">{}</text>\n", left - 14,
                            y + heading + row * height + 19, row);
    for (const auto& [at, holder] : holders(kind, operand)) {
      const int x = left + at.second * width, top = y + heading + at.first * height;
      inside += fmt::format(
          "<g><title>row {}, column {}: {} {}, element {}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\" "
          "fill=\"hsl({} 70% 86%)\"/><text x=\"{}\" y=\"{}\">{}:{}</text></g>\n",
          at.first, at.second, holder_word(kind), holder.lane, holder.element, x, top, width - 1, height - 1,
          holder.lane / 4 * 45, x + width / 2, top + 19, holder.lane, holder.element);
    }
    y += heading + down * height + gap;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n"
      "<style>text {{ font: 12px ui-monospace, monospace; text-anchor: middle; fill: #22262b; }}\n"
      ".title {{ font: 600 14px system-ui, sans-serif; text-anchor: start; }} .index {{ fill: #6d747c; }}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fbfaf7\"/>\n{2}</svg>\n",
      widest, y, inside);
}

}  // namespace cairn::lab
