#include "emu/machine/elf_symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <span>

namespace cairn::emu {

namespace {

// The tables of the ELF file as structs. The loader has accepted the file, so only the sections, which it ignores,
// can be malformed; what reaches beyond the file is skipped.
template <class T>
std::span<const T> table(const std::vector<char>& file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset || offset % alignof(T) != 0) return {};
  return {reinterpret_cast<const T*>(file.data() + offset), bytes / sizeof(T)};
}

std::vector<Symbol> read_symbols(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  std::vector<Symbol> symbols;
  const auto header = table<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
  if (header.empty() || header[0].e_shentsize != sizeof(ElfW(Shdr))) return symbols;
  const auto sections = table<ElfW(Shdr)>(file, header[0].e_shoff, header[0].e_shnum * sizeof(ElfW(Shdr)));
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const auto& link = sections[section.sh_link];
    const auto names = table<char>(file, link.sh_offset, link.sh_size);
    for (const auto& symbol : table<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
      const auto type = symbol.st_info & 0xf;
      if ((type != STT_FUNC && type != STT_TLS) || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= names.size()) continue;
      const char* name = names.data() + symbol.st_name;
      symbols.push_back({std::string(name, strnlen(name, names.size() - symbol.st_name)), symbol.st_value,
                         symbol.st_size, type == STT_TLS});
    }
  }
  return symbols;
}

struct Found {
  std::uint64_t address;  // somewhere in the file that is looked for
  std::uint64_t loaded_at = 0;
  std::string path;
  void* thread_locals = nullptr;
};

int look(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const std::uint64_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || found.address < start || found.address >= start + part.p_memsz) continue;
    found.loaded_at = info->dlpi_addr;
    found.path = info->dlpi_name == nullptr || *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
    found.thread_locals = info->dlpi_tls_data;
    return 1;
  }
  return 0;
}

Found find_image() {
  Found found{reinterpret_cast<std::uint64_t>(&read_symbols), 0, {}, nullptr};
  dl_iterate_phdr(&look, &found);
  return found;
}

}  // namespace

const Image& this_image() {
  static const Image image = [] {
    const Found found = find_image();
    return Image{found.loaded_at, read_symbols(found.path)};
  }();
  return image;
}

Span image_span() {
  static const Span span = [] {
    struct Search {
      std::uintptr_t inside;
      Span found;
    } search{reinterpret_cast<std::uintptr_t>(&read_symbols), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& s = *static_cast<Search*>(data);
          std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
            const std::uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            low = std::min(low, start);
            high = std::max<std::uintptr_t>(high, start + info->dlpi_phdr[i].p_memsz);
          }
          if (s.inside < low || s.inside >= high) return 0;
          s.found = {low, high - low};
          return 1;
        },
        &search);
    return search.found;
  }();
  return span;
}

std::byte* thread_local_base() {
  // The loader sets aside a shared object's thread_locals when the first of them is touched. (One that is not zero
  // at first also keeps out of the way of the __shared__ arrays, which all are.)
  thread_local volatile int touch = 1;
  touch = touch + 0;
  return static_cast<std::byte*>(find_image().thread_locals);
}

}  // namespace cairn::emu
