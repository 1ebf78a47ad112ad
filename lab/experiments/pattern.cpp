#include "lab/experiments/pattern.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

constexpr std::size_t kLongest = 200;  // bounds the recursion of nested parentheses
constexpr std::int64_t kTooFar = std::int64_t{1} << 28;

// So many bytes from here on are one character of UTF-8.
std::size_t character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  std::size_t shown = 0;
  while (shown < text.size() && shown < 60) shown += character(text, shown);
  std::string line = fmt::format("--pattern '{}{}': {}; write an index for lane l, such as l*33 or l*32 + (l^5)",
                                 text.substr(0, shown), shown < text.size() ? "…" : "", why);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  throw Error(kUsage, line);
}

struct Operator {
  std::string_view sign;
  int binds;  // tighter the higher, in C's order
};
constexpr Operator kOperators[] = {{"<<", 4}, {">>", 4}, {"|", 1}, {"^", 2}, {"&", 3},
                                   {"+", 5},  {"-", 5},  {"*", 6}, {"/", 6}, {"%", 6}};

// Reads the text once for each lane, computing as it goes: 32 times a line is nothing, and there is no tree to keep.
class Reader {
 public:
  Reader(std::string_view text, int lane) : text_(text), lane_(lane) {}

  std::int64_t read() {
    const std::int64_t value = expression(0);
    skip_space();
    if (at_ < text_.size()) refuse(text_, fmt::format("{} stands where an operator should", here()));
    return value;
  }

 private:
  std::int64_t expression(int binds) {
    std::int64_t left = operand();
    for (;;) {
      const Operator* op = next_operator();
      if (op == nullptr || op->binds <= binds) return left;
      at_ += op->sign.size();
      left = apply(op->sign, left, expression(op->binds));
    }
  }

  std::int64_t operand() {
    skip_space();
    if (at_ == text_.size()) refuse(text_, "it ends where a number, l or ( should stand");
    if (take('l')) return lane_;
    if (take('-')) return apply("-", 0, operand());
    if (take('(')) {
      const std::int64_t inside = expression(0);
      skip_space();
      if (!take(')')) refuse(text_, "a ) is missing");
      return inside;
    }
    return number();
  }

  std::int64_t number() {
    const bool hex = text_.substr(at_).starts_with("0x");
    const char* from = text_.data() + at_ + (hex ? 2 : 0);
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(from, text_.data() + text_.size(), value, hex ? 16 : 10);
    if (error == std::errc::result_out_of_range) refuse(text_, "a number is too large");
    if (error != std::errc{} || *from == '-')
      refuse(text_, fmt::format("{} stands where a number, l or ( should", here()));
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  const Operator* next_operator() {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    const auto* found =
        std::ranges::find_if(kOperators, [&](const Operator& op) { return rest.starts_with(op.sign); });
    return found == std::end(kOperators) ? nullptr : found;
  }

  std::int64_t apply(std::string_view sign, std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    bool overflow = false;
    switch (sign[0]) {
      case '+': overflow = __builtin_add_overflow(a, b, &out); break;
      case '-': overflow = __builtin_sub_overflow(a, b, &out); break;
      case '*': overflow = __builtin_mul_overflow(a, b, &out); break;
      case '|': return a | b;
      case '^': return a ^ b;
      case '&': return a & b;
      case '/':
      case '%':
        if (b == 0) refuse(text_, fmt::format("lane {} divides by zero", lane_));
        overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
        if (!overflow) out = sign[0] == '/' ? a / b : a % b;
        break;
      default:  // the shifts
        if (b < 0 || b > 62) refuse(text_, fmt::format("lane {} shifts by {}", lane_, b));
        if (sign == ">>") return a >> b;
        overflow = __builtin_mul_overflow(a, std::int64_t{1} << b, &out);
    }
    if (overflow) refuse(text_, fmt::format("the numbers of lane {} do not fit 64 bits", lane_));
    return out;
  }

  std::string here() const { return fmt::format("'{}'", text_.substr(at_, character(text_, at_))); }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    if (there) ++at_;
    return there;
  }

  std::string_view text_;
  std::int64_t lane_;
  std::size_t at_ = 0;
};

}  // namespace

std::array<std::uint64_t, 32> parse_pattern(std::string_view text) {
  if (text.size() > kLongest) refuse(text, fmt::format("it is longer than {} characters", kLongest));
  std::array<std::uint64_t, 32> out = {};
  for (int lane = 0; lane < 32; ++lane) {
    const std::int64_t index = Reader(text, lane).read();
    if (index < 0) refuse(text, fmt::format("the index of lane {} is {}, before the start", lane, index));
    if (index >= kTooFar) refuse(text, fmt::format("the index of lane {} is {}, not below 2^28", lane, index));
    out[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(index);
  }
  return out;
}

}  // namespace cairn::lab
