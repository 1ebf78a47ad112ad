#include "lab/program/sections.hpp"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <vector>

namespace cairn::lab::program {
namespace {

// A struct at that offset; false beyond the file's end.
template <class T> bool read_at(std::ifstream& in, std::uint64_t offset, T& value) {
  in.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&value), sizeof value));
}

std::optional<std::string> read_bytes(std::ifstream& in, std::uint64_t offset, std::uint64_t count,
                                      std::uint64_t file_bytes) {
  if (offset > file_bytes || count > file_bytes - offset) return {};
  std::string bytes(count, '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(count))) return {};
  return bytes;
}

}  // namespace

std::string scrambled(std::string bytes) {
  for (char& byte : bytes) byte = static_cast<char>(~byte);
  return bytes;
}

std::optional<std::string> file_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  return (std::stringstream() << in.rdbuf()).str();
}

std::optional<std::string> section(const std::string& file, const std::string& name) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto file_bytes = static_cast<std::uint64_t>(in ? static_cast<std::streamoff>(in.tellg()) : 0);
  Elf64_Ehdr header{};
  if (!read_at(in, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
    return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (!read_at(in, header.e_shoff + i * sizeof(Elf64_Shdr), sections[i])) return {};
  if (header.e_shstrndx >= sections.size()) return {};
  const Elf64_Shdr& texts = sections[header.e_shstrndx];
  const auto names = read_bytes(in, texts.sh_offset, texts.sh_size, file_bytes);
  if (!names) return {};
  for (const Elf64_Shdr& one : sections) {
    if (one.sh_name >= names->size() || std::string(names->c_str() + one.sh_name) != name) continue;
    return read_bytes(in, one.sh_offset, one.sh_size, file_bytes);
  }
  return {};
}

}  // namespace cairn::lab::program
