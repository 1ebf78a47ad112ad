#include "emu/machine/kernel_facts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "emu/machine/elf_symbols.hpp"

namespace cairn::emu {

namespace {

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

// "void cairn::simt_04::kernel<32>(float*)" -> "cairn::simt_04::kernel<32>" and "float*"
void divide(std::string name, KernelFacts& facts) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] != '(' || --depth != 0) continue;
    if (name.compare(i, 21, "(anonymous namespace)") == 0) continue;
    facts.parameters = name.substr(i + 1, name.rfind(')') - i - 1);
    name.resize(i);
    break;
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  facts.name = std::move(name);
}

// A static local of function _Zf is called _ZZfE<its name>.
std::string prefix_of_locals(const std::string& function) {
  if (function.starts_with("_Z")) return "_ZZ" + function.substr(2) + "E";
  return "_ZZ" + std::to_string(function.size()) + function + "E";
}

bool is_local_of(const std::string& name, const std::string& prefix) { return name.starts_with(prefix); }

// The variable by which cairn-nvcc marks a kernel: a static local of it (lab/program/rewrite.cpp).
constexpr std::string_view kMark = "E12cairn_kernel";
bool is_mark(const Symbol& symbol) { return symbol.is_thread_local && symbol.name.ends_with(kMark); }

// Of the emulator itself and of the C++ library, or a guard of a variable's initialization.
bool is_internal(const std::string& name) {
  for (const char* prefix : {"_ZN5cairn3emu", "_ZZN5cairn3emu", "_ZNSt", "_ZZNSt", "_ZSt", "_ZGV", "cairn_emu"})
    if (name.starts_with(prefix)) return true;
  return false;
}

std::vector<SharedArray> find_shared_by_kernels() {
  std::vector<std::string> kernels;  // what names of their locals begin with
  for (const Symbol& symbol : this_image().symbols)
    if (is_mark(symbol)) kernels.push_back(symbol.name.substr(0, symbol.name.size() - kMark.size() + 1));
  std::vector<SharedArray> arrays;
  if (kernels.empty()) return arrays;
  for (const Symbol& symbol : this_image().symbols) {
    const auto is_local = [&](const std::string& kernel) { return is_local_of(symbol.name, kernel); };
    if (symbol.is_thread_local && !is_internal(symbol.name) && std::ranges::none_of(kernels, is_local))
      arrays.push_back({demangle(symbol.name), symbol.value, symbol.bytes});
  }
  return arrays;
}

KernelFacts find_facts(const void* kernel) {
  KernelFacts facts;
  char address[32];
  std::snprintf(address, sizeof address, "at %p", kernel);
  facts.name = address;

  const Image& image = this_image();
  const std::uint64_t value = reinterpret_cast<std::uint64_t>(kernel) - image.loaded_at;
  std::string prefix;
  for (const Symbol& symbol : image.symbols) {
    if (symbol.is_thread_local || symbol.value != value) continue;
    divide(demangle(symbol.name), facts);
    prefix = prefix_of_locals(symbol.name);
    break;
  }
  if (prefix.empty()) return facts;
  for (const Symbol& symbol : image.symbols) {
    if (!symbol.is_thread_local || !is_local_of(symbol.name, prefix) || is_mark(symbol)) continue;
    facts.shared.push_back({demangle(symbol.name), symbol.value, symbol.bytes});
    facts.shared_bytes += symbol.bytes;
  }
  return facts;
}

}  // namespace

const KernelFacts& kernel_facts(const void* kernel) {
  static std::mutex mutex;
  static std::unordered_map<const void*, std::unique_ptr<KernelFacts>> known;
  const std::lock_guard lock(mutex);
  auto& facts = known[kernel];
  if (!facts) facts = std::make_unique<KernelFacts>(find_facts(kernel));
  return *facts;
}

std::vector<std::string> kernels_of_program() {
  std::vector<std::string> names;
  for (const Symbol& symbol : this_image().symbols) {
    if (!is_mark(symbol)) continue;
    KernelFacts facts;  // the mark of _Z1fi is called _ZZ1fiE12cairn_kernel
    divide(demangle("_Z" + symbol.name.substr(3, symbol.name.size() - 3 - kMark.size())), facts);
    names.push_back(facts.name);
  }
  return names;
}

const SharedArray* shared_by_kernels(std::size_t offset) {
  static const std::vector<SharedArray> arrays = find_shared_by_kernels();
  for (const SharedArray& array : arrays)
    if (offset - array.offset < array.bytes) return &array;
  return nullptr;
}

std::byte* shared_base() {
  thread_local std::byte* base = nullptr;
  if (base == nullptr) base = thread_local_base();
  return base;
}

}  // namespace cairn::emu
