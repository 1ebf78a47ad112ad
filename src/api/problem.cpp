// Prints and parses a Problem. Every field has one row in kFields, and both directions use that table, so that they
// cannot disagree about the fields.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "cairn/types.hpp"

namespace cairn {
namespace {

Status bad(std::string message) { return {Code::invalid_argument, std::move(message)}; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Status parse_integer(std::string_view text, std::int64_t& out) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return bad(quoted(text) + " does not fit 64 bits");
  if (error != std::errc{} || end != text.data() + text.size()) return bad(quoted(text) + " is not an integer");
  out = value;
  return {};
}

// A field of Problem: its key, how it prints, how it is read.
struct Field {
  std::string_view key;
  std::string (*print)(const Problem&);
  Status (*read)(std::string_view, Problem&);
};

template <auto member> constexpr Field integer(std::string_view key) {
  return {key, [](const Problem& p) { return std::to_string(p.*member); },
          [](std::string_view text, Problem& p) { return parse_integer(text, p.*member); }};
}

template <auto member> constexpr Field word(std::string_view key) {
  return {key, [](const Problem& p) { return std::string(name(p.*member)); },
          [](std::string_view text, Problem& p) { return parse(text, p.*member); }};
}

constexpr std::array kFields = {
    word<&Problem::in>("in"),
    word<&Problem::out>("out"),
    word<&Problem::compute>("compute"),
    word<&Problem::order>("order"),
    word<&Problem::op_a>("op_a"),
    word<&Problem::op_b>("op_b"),
    integer<&Problem::m>("m"),
    integer<&Problem::n>("n"),
    integer<&Problem::k>("k"),
    integer<&Problem::lda>("lda"),
    integer<&Problem::ldb>("ldb"),
    integer<&Problem::ldc>("ldc"),
    integer<&Problem::batch>("batch"),
    integer<&Problem::stride_a>("stride_a"),
    integer<&Problem::stride_b>("stride_b"),
    integer<&Problem::stride_c>("stride_c"),
    word<&Problem::invariant>("invariant"),
    word<&Problem::bias>("bias"),
    word<&Problem::bias_type>("bias_type"),
    integer<&Problem::stride_bias>("stride_bias"),
    word<&Problem::activation>("activation"),
    word<&Problem::before>("before"),
    word<&Problem::scale_a>("scale_a"),
    word<&Problem::scale_b>("scale_b"),
    integer<&Problem::stride_scale_a>("stride_scale_a"),
    integer<&Problem::stride_scale_b>("stride_scale_b"),
    integer<&Problem::groups>("groups"),
};

constexpr std::size_t index_of(std::string_view key) {
  std::size_t i = 0;
  while (i < kFields.size() && kFields[i].key != key) ++i;
  return i;
}
constexpr std::size_t kOut = index_of("out"), kCompute = index_of("compute"), kFirstDerived = index_of("lda");
// The short form begins with type, layout and shape; other fields follow as key=value where they are not the default.
constexpr std::size_t kOrder = index_of("order"), kFirstStride = index_of("stride_a"),
                      kInvariant = index_of("invariant");

// The fields that have been read so far.
struct Reader {
  Problem said;
  std::array<bool, kFields.size()> given{};

  Status set(std::size_t field, std::string_view value) {
    const std::string key(kFields[field].key);
    if (given[field]) return bad(key + " is given twice");
    given[field] = true;
    Status s = kFields[field].read(value, said);
    return s.ok() ? s : bad(key + ": " + s.message());
  }
  Status set(std::string_view key, std::string_view value) { return set(index_of(key), value); }
};

// Type names that stand for a storage type and a compute mode other than native.
struct Mode {
  std::string_view word;
  Type in;
  Compute compute;
};
constexpr std::array kModes = {Mode{"tf32", Type::f32, Compute::tf32}, Mode{"split", Type::f32, Compute::split},
                               Mode{"e4m3fast", Type::e4m3, Compute::fast}};

const Mode* mode_named(std::string_view word) {
  const auto found = std::find_if(kModes.begin(), kModes.end(), [&](const Mode& mode) { return mode.word == word; });
  return found == kModes.end() ? nullptr : &*found;
}

// "bf16", "e4m3:bf16", "tf32".
bool looks_like_type(std::string_view word) {
  Type ignored{};
  const auto in = word.substr(0, word.find(':'));
  return mode_named(in) != nullptr || parse(in, ignored).ok();
}

Status read_type(std::string_view word, Reader& reader) {
  const auto colon = word.find(':');
  const auto in = word.substr(0, colon);
  const Mode* const mode = mode_named(in);
  if (auto s = reader.set("in", mode != nullptr ? name(mode->in) : in); !s.ok()) return s;
  if (mode != nullptr) {
    if (auto s = reader.set("compute", name(mode->compute)); !s.ok()) return s;
  }
  return colon == std::string_view::npos ? Status{} : reader.set("out", word.substr(colon + 1));
}

bool looks_like_layout(std::string_view word) {
  Op ignored{};
  return word.size() == 2 && parse(word.substr(0, 1), ignored).ok() && parse(word.substr(1), ignored).ok();
}

Status read_layout(std::string_view word, Reader& reader) {
  if (auto s = reader.set("op_a", word.substr(0, 1)); !s.ok()) return s;
  return reader.set("op_b", word.substr(1));
}

Status read_shape(std::string_view word, Reader& reader) {
  const auto first = word.find('x');
  if (first == std::string_view::npos) {
    for (const char* size : {"m", "n", "k"}) {
      if (auto s = reader.set(size, word); !s.ok()) return s;
    }
    return {};
  }
  const auto second = word.find('x', first + 1);
  if (second == std::string_view::npos) return bad(quoted(word) + " is not a shape; it must be MxNxK or one number");
  if (auto s = reader.set("m", word.substr(0, first)); !s.ok()) return s;
  if (auto s = reader.set("n", word.substr(first + 1, second - first - 1)); !s.ok()) return s;
  return reader.set("k", word.substr(second + 1));
}

Status read_word(std::string_view word, Reader& reader) {
  if (const auto equals = word.find('='); equals != std::string_view::npos) {
    const auto key = word.substr(0, equals);
    if (index_of(key) < kFields.size()) return reader.set(key, word.substr(equals + 1));
    std::string message = quoted(key) + " is not a key; it must be one of";
    for (const auto& field : kFields) message += " " + std::string(field.key);
    return bad(std::move(message));
  }
  if (looks_like_type(word)) return read_type(word, reader);
  if (looks_like_layout(word)) return read_layout(word, reader);
  if (word == "row" || word == "column") return reader.set("order", word);
  if (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) return read_shape(word, reader);
  return bad(quoted(word) +
             " is not understood; write a type (f32, e4m3:bf16 …), layout (nt …), shape (MxNxK) or "
             "key=value");
}

std::int64_t end_to_end(const Stored& s) {
  std::int64_t elements = 0;
  // Overflow is not an error here: parsing accepts any size, and check() refuses it when it is used.
  if (__builtin_mul_overflow(s.major, s.ld, &elements)) return std::numeric_limits<std::int64_t>::max();
  return elements;
}

}  // namespace

void Problem::pack() {
  lda = a().min_ld();
  ldb = b().min_ld();
  ldc = c().min_ld();
  stride_a = end_to_end(a());
  stride_b = end_to_end(b());
  stride_c = end_to_end(c());
}

Problem Problem::packed(Type type, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k, Order order,
                        std::int64_t batch) {
  Problem p;
  p.in = p.out = type;
  p.op_a = op_a, p.op_b = op_b;
  p.m = m, p.n = n, p.k = k;
  p.order = order, p.batch = batch;
  p.pack();
  return p;
}

std::string Problem::full() const {
  std::string text;
  for (const auto& field : kFields) {
    if (!text.empty()) text += ' ';
    text += std::string(field.key) + "=" + field.print(*this);
  }
  return text;
}

std::string Problem::brief() const {
  const auto mode = std::find_if(kModes.begin(), kModes.end(),
                                 [&](const Mode& one) { return one.in == in && one.compute == compute; });
  const bool named = mode != kModes.end();
  std::string text(named ? mode->word : name(in));
  if (out != in) text += ":" + std::string(name(out));
  text += ' ' + std::string(name(op_a)) + std::string(name(op_b)) + ' ';
  text += std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);

  Problem defaults = *this;
  defaults.order = Order::row, defaults.batch = 1, defaults.compute = named ? compute : Compute::native;
  defaults.invariant = Invariant::none;
  defaults.bias = Bias::none, defaults.bias_type = Type::f32, defaults.stride_bias = 0;
  defaults.activation = Activation::none, defaults.before = Before::none;
  defaults.scale_a = defaults.scale_b = Scale::none, defaults.stride_scale_a = defaults.stride_scale_b = 0;
  defaults.groups = 0;
  const auto say = [&](std::size_t i) {
    const std::string value = kFields[i].print(*this);
    if (value != kFields[i].print(defaults)) text += " " + std::string(kFields[i].key) + "=" + value;
  };
  say(kCompute);
  say(kOrder);
  defaults.order = order;  // the packed ld follows from the order, and the packed stride from the ld
  defaults.pack();
  defaults.stride_a = end_to_end(a()), defaults.stride_b = end_to_end(b()), defaults.stride_c = end_to_end(c());
  const std::size_t end = batch == 1 ? kFirstStride : kInvariant;
  for (std::size_t i = kFirstDerived; i < end; ++i) say(i);
  for (std::size_t i = kInvariant; i < kFields.size(); ++i) say(i);
  return text;
}

Status parse(std::string_view text, Problem& out) {
  constexpr std::string_view kSpace = " \t\r\n";
  Reader reader;
  for (auto start = text.find_first_not_of(kSpace); start != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kSpace, start), text.size());
    if (auto s = read_word(text.substr(start, end - start), reader); !s.ok()) return s;
    start = text.find_first_not_of(kSpace, end);
  }
  for (const char* size : {"m", "n", "k"}) {
    if (!reader.given[index_of(size)]) return bad("no shape; say MxNxK, for example 'f32 nn 512x512x512'");
  }

  Problem p = reader.said;
  if (!reader.given[kOut]) p.out = p.in;
  Problem defaults = p;
  defaults.pack();
  const auto given = [&](std::string_view key) { return reader.given[index_of(key)]; };
  if (!given("lda")) p.lda = defaults.lda;
  if (!given("ldb")) p.ldb = defaults.ldb;
  if (!given("ldc")) p.ldc = defaults.ldc;
  if (!given("stride_a")) p.stride_a = end_to_end(p.a());
  if (!given("stride_b")) p.stride_b = end_to_end(p.b());
  if (!given("stride_c")) p.stride_c = end_to_end(p.c());
  out = p;
  return {};
}

}  // namespace cairn
