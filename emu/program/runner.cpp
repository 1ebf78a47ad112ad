// The program around a user's kernel: reads its input file, makes the arguments, launches, and writes the trace.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fstream>
#include <memory>

#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "emu/program/bind.hpp"
#include "emu/program/buffers.hpp"
#include "emu/trace/collector.hpp"

namespace cairn::emu::program {
namespace {

std::string demangled(const char* type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : type;
}

std::string signature(const Kernel& kernel) {
  std::string text;
  for (const Parameter& p : kernel.parameters) text += (text.empty() ? "" : ", ") + demangled(p.type);
  return text.empty() ? "none" : text;
}

// Characters may be given as either.
bool same(Element a, Element b) { return a == b || (size_of(a) == 1 && size_of(b) == 1); }

// What is wrong with handing this argument to this parameter; empty if nothing is. A number's value goes to `out`.
std::string misfit(const Argument& a, const Parameter& p, void* out) {
  const std::string type = demangled(p.type);
  if (!p.takeable) {
    return "is for a parameter of type " + type +
           ", which is neither a number nor a pointer to data; write a kernel around it that takes those";
  }
  if (p.pointer != (a.kind != Kind::number)) {
    if (p.pointer) return "is a number, but the parameter is " + type + "; a buffer is written f32[1024]=random";
    return "is a pointer, but the parameter is " + type + "; a number is written 5 or 1.5";
  }
  if (a.kind == Kind::null) return "";
  if (p.pointer) {
    if (p.element == Element::any || same(a.element, p.element)) return "";
    return std::string("is a buffer of ") + name(a.element) + ", but the parameter is " + type + ", of " +
           name(p.element);
  }
  if (a.element != Element::any && !same(a.element, p.element)) {
    return std::string("is of type ") + name(a.element) + ", but the parameter is " + type + ", " + name(p.element);
  }
  const bool flag = type == "bool" && a.digits != "0" && a.digits != "1";
  if (!flag && store_number(p.element, a.digits, out)) return "";
  return "is no value of the parameter's type, " + type + " (" + name(p.element) + ")";
}

struct Value {
  alignas(16) unsigned char bytes[16] = {};
};

// Every argument in its place, or a sentence about the first that does not fit.
std::string fit(const Kernel& kernel, const ProgramInput& input, Buffers& buffers, std::vector<Value>& values) {
  const std::size_t wanted = kernel.parameters.size(), given = input.arguments.size();
  if (wanted != given) {
    return std::string(kernel.name) + " takes " + std::to_string(wanted) +
           (wanted == 1 ? " parameter" : " parameters") + " (" + signature(kernel) + "); " + std::to_string(given) +
           " --arg given";
  }
  values.resize(given);
  for (std::size_t i = 0; i < given; ++i) {
    const Argument& a = input.arguments[i];
    std::string wrong = misfit(a, kernel.parameters[i], values[i].bytes);
    if (wrong.empty() && a.kind == Kind::buffer) {
      void* device = nullptr;
      wrong = buffers.add(i + 1, a, input.seed, &device);
      std::memcpy(values[i].bytes, &device, sizeof device);
    }
    if (!wrong.empty()) return "--arg " + std::to_string(i + 1) + ", '" + a.text + "', " + wrong;
  }
  return "";
}

ProgramOutput run(const ProgramInput& input) {
  ProgramOutput output;
  const Kernel kernel = cairn_own_kernel();
  configure({.seed = input.seed});
  Buffers buffers;
  std::vector<Value> values;
  output.usage = fit(kernel, input, buffers, values);
  if (!output.usage.empty()) return output;

  std::vector<void*> pointers;
  pointers.reserve(values.size() + 1);
  for (Value& value : values) pointers.push_back(value.bytes);
  pointers.push_back(nullptr);
  (void)take_failure();
  begin_collecting({.detectors = input.detectors, .merged_loads = true});
  const auto extent = [](const std::array<unsigned, 3>& of) { return dim3(of[0], of[1], of[2]); };
  const cudaError_t error = kernel.launch(extent(input.grid), extent(input.block), input.shared, pointers.data());
  if (error != cudaSuccess) output.failure = cudaGetErrorString(error);
  if (const Status late = take_failure(); !late.ok()) output.failure = late.message();
  take_trace(output.trace);
  output.buffers = buffers.look(input.detectors);
  return output;
}

}  // namespace
}  // namespace cairn::emu::program

int main(int argc, char** argv) {
  using namespace cairn::emu::program;
  ProgramInput input;
  if (argc != 3) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  if (!read(in, input)) return 2;
  const ProgramOutput output = run(input);
  std::fflush(nullptr);  // what the kernel printed
  std::ofstream out(argv[2], std::ios::binary);
  write(out, output);
  return out.flush() ? 0 : 2;
}
