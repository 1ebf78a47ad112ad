#include "emu/program/wire.hpp"

#include <istream>
#include <ostream>
#include <type_traits>

namespace cairn::emu::program {
namespace {

// The same list of fields serves for writing and for reading: an archive takes a reference and does its part.
struct Writer {
  std::ostream& out;
  void bytes(const void* data, std::size_t count) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(count));
  }
  template <class T> void size(const T& container) {
    const std::uint64_t count = container.size();
    bytes(&count, sizeof count);
  }
};

struct Reader {
  std::istream& in;
  void bytes(void* data, std::size_t count) {
    in.read(static_cast<char*>(data), static_cast<std::streamsize>(count));
  }
  template <class T> void size(T& container) {
    std::uint64_t count = 0;
    bytes(&count, sizeof count);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // a broken file must not ask for all memory
    if (!in || count > kMost) {
      in.setstate(std::ios::failbit);
      count = 0;
    }
    container.resize(count);
  }
};

template <class A, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void pass(A& a, T& value) { a.bytes(&value, sizeof value); }
template <class A> void pass(A& a, std::string& text) {
  a.size(text);
  a.bytes(text.data(), text.size());
}
template <class A, class T, std::size_t n> void pass(A& a, std::array<T, n>& all) {
  for (T& one : all) pass(a, one);
}
template <class A, class... T> void pass_all(A& a, T&... fields);

template <class A> void pass(A& a, Counters& counters) {
  for (const CounterName& counter : counter_names()) pass(a, counters.*counter.value);
}
template <class A> void pass(A& a, Request& r) { pass_all(a, r.lanes, r.bytes, r.address, r.matrices); }
template <class A> void pass(A& a, Place& p) { pass_all(a, p.file, p.line, p.function); }
template <class A> void pass(A& a, LineCounters& l) {
  pass_all(a, l.place, l.counters, l.worst_global, l.worst_shared, l.worst_global_who, l.worst_shared_who);
}
template <class A> void pass(A& a, Finding& f) { pass_all(a, f.fault, f.kernel, f.what, f.place, f.other, f.times); }
template <class A> void pass(A& a, Argument& x) {
  pass_all(a, x.text, x.kind, x.element, x.digits, x.count, x.filling);
}
template <class A> void pass(A& a, Buffer& b) {
  pass_all(a, b.argument, b.element, b.count, b.first, b.written, b.unwritten, b.gap);
}
template <class A> void pass(A& a, KernelTrace& k);
template <class A> void pass(A& a, Memory& m) { pass_all(a, m.number, m.bytes); }
template <class A> void pass(A& a, Change& c) { pass_all(a, c.memory, c.changed, c.sum); }
template <class A> void pass(A& a, Launched& l);
template <class A> void pass(A& a, Difference& d) {
  pass_all(a, d.first, d.second, d.elements, d.differing, d.left, d.gap, d.largest, d.error, d.at, d.first_value,
           d.second_value);
}
template <class A> void pass(A& a, Pair& p);
template <class A, class T> void pass(A& a, std::vector<T>& all) {
  a.size(all);
  for (T& one : all) pass(a, one);
}
template <class A> void pass(A& a, KernelTrace& k) {
  pass_all(a, k.name, k.grid, k.block, k.launches, k.counters, k.lines);
}
template <class A> void pass(A& a, Launched& l) { pass_all(a, l.kernel, l.grid, l.block, l.changes); }
template <class A> void pass(A& a, Pair& p) {
  pass_all(a, p.first, p.second, p.again, p.failure, p.buffers, p.only_first, p.only_second);
}
template <class A> void pass(A& a, Comparison& c) {
  pass_all(a, c.first, c.second, c.type, c.type_known, c.pairs, c.early);
}
template <class A> void pass(A& a, ProgramInput& x) {
  pass_all(a, x.grid, x.block, x.shared, x.seed, x.detectors, x.arguments);
}
template <class A> void pass(A& a, ProgramOutput& x) {
  pass_all(a, x.usage, x.failure, x.trace.kernels, x.trace.findings, x.buffers, x.launches, x.comparison);
}
template <class A, class... T> void pass_all(A& a, T&... fields) { (pass(a, fields), ...); }

}  // namespace

void write(std::ostream& out, const ProgramInput& input) {
  Writer writer{out};
  ProgramInput copy = input;  // the fields are passed by reference, to be read or written
  pass(writer, copy);
}
void write(std::ostream& out, const ProgramOutput& output) {
  Writer writer{out};
  ProgramOutput copy = output;
  pass(writer, copy);
}
bool read(std::istream& in, ProgramInput& input) {
  Reader reader{in};
  pass(reader, input);
  return static_cast<bool>(in);
}
bool read(std::istream& in, ProgramOutput& output) {
  Reader reader{in};
  pass(reader, output);
  return static_cast<bool>(in);
}

}  // namespace cairn::emu::program
