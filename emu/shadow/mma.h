// Stands in for CUDA's header of this name when a kernel file is compiled for the emulator: nvcuda::wmma for __half,
// __nv_bfloat16 and tf32. device/fragment.hpp has the layout of fragments, emu/machine/mma.cpp computes the products.
//
// 16-bit A and B are loaded from shared memory as by ldmatrix, which is what nvcc generates. Otherwise a lane loads
// and stores its own elements, two adjacent ones at a time: it loads before the lanes synchronize and stores after,
// so that the call orders neither. All of it is always inlined, so that a trace names the line of the kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"
#include "emu/shadow/device/tf32.hpp"

namespace nvcuda::wmma {

inline float __float_to_tf32(float x) { return cairn::to_tf32(x); }

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

namespace detail {

using cairn::fragment::Kind;
using cairn::fragment::Op;
using cairn::fragment::Operand;
using cairn::fragment::Type;

template <class T> struct Storage { using type = T; };
template <> struct Storage<precision::tf32> { using type = float; };

template <class Use> constexpr Operand operand() {
  if (std::is_same_v<Use, matrix_a>) return Operand::a;
  return std::is_same_v<Use, matrix_b> ? Operand::b : Operand::c;
}

// An accumulator fragment may be of any type that supports the shape.
template <class T, int m, int n, int k> constexpr Kind kind() {
  if (std::is_same_v<T, __nv_bfloat16>) return {Op::wmma, Type::bf16, {m, n, k}};
  return {Op::wmma, k == 8 ? Type::tf32 : Type::f16, {m, n, k}};
}

template <class Use, class T, int m, int n, int k, class Layout> constexpr bool is_there() {
  if (!exists(kind<T, m, n, k>())) return false;
  if (std::is_same_v<Use, accumulator>)
    return std::is_void_v<Layout> && (std::is_same_v<T, float> || (std::is_same_v<T, __half> && k == 16));
  const bool laid = std::is_same_v<Layout, row_major> || std::is_same_v<Layout, col_major>;
  const bool narrow = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
  return laid && (k == 8 ? std::is_same_v<T, precision::tf32> : narrow);
}

// A lane's elements and their addresses. Elements adjacent in the fragment and in memory are accessed together.
template <Kind kind, Operand operand, bool by_rows> struct Walk {
  static constexpr int each = distinct(kind, operand);
  static constexpr cairn::fragment::Place zeroth = place(kind, operand, 0, 0), first = place(kind, operand, 0, 1);
  static constexpr bool paired = by_rows ? first.col == zeroth.col + 1 : first.row == zeroth.row + 1;
  template <class T>
  using Piece = std::conditional_t<!paired, T, std::conditional_t<sizeof(T) == 2, unsigned, unsigned long>>;

  static std::size_t offset(int lane, int i, unsigned ld) {
    const cairn::fragment::Place at = place(kind, operand, lane, i);
    const auto row = static_cast<std::size_t>(at.row), col = static_cast<std::size_t>(at.col);
    return by_rows ? row * ld + col : col * ld + row;
  }
  template <class T> [[gnu::always_inline]] static void load(T* x, const T* tile, unsigned ld) {
    const int lane = static_cast<int>(cairn::emu::lane_index());
    for (int i = 0; i < each; i += paired ? 2 : 1)
      *reinterpret_cast<Piece<T>*>(x + i) = *reinterpret_cast<const Piece<T>*>(tile + offset(lane, i, ld));
  }
  // Two adjacent elements of a fragment are a register, and register r of all lanes is an 8 x 8 matrix.
  template <class T> static void load_matrices(T* x, const T* tile, unsigned ld, cairn::emu::Site site) {
    constexpr int count = each / 2 < 4 ? each / 2 : 4;
    const int lane = static_cast<int>(cairn::emu::lane_index()), row = lane % 8;
    for (int r = 0; r < each / 2; r += count) {
      const int matrix = r + lane / 8 % count;
      const std::size_t at = paired ? offset(4 * row, 2 * matrix, ld) : offset(row / 2, 2 * matrix + row % 2, ld);
      cairn::emu::warp_ldmatrix(reinterpret_cast<unsigned*>(x) + r, tile + at, count, !paired, "load_matrix_sync",
                                site);
    }
  }
  template <class T> [[gnu::always_inline]] static void store(T* tile, const T* x, unsigned ld) {
    const int lane = static_cast<int>(cairn::emu::lane_index());
    for (int i = 0; i < each; i += paired ? 2 : 1)
      *reinterpret_cast<Piece<T>*>(tile + offset(lane, i, ld)) = *reinterpret_cast<const Piece<T>*>(x + i);
  }
};

}  // namespace detail

template <class T, int size> struct alignas(8) __frag_base {
  enum { num_elements = size, num_storage_elements = size };
  using element_type = T;
  using storage_element_type = typename detail::Storage<T>::type;
  storage_element_type x[size];
};

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment : public __frag_base<T, held(detail::kind<T, m, n, k>(), detail::operand<Use>())> {
  static_assert(
      detail::is_there<Use, T, m, n, k, Layout>(),
      "cairn: wmma is emulated for __half and __nv_bfloat16 (16x16x16, 32x8x16, 8x32x16) and for "
      "precision::tf32 (16x16x8), with sums in float or, of __half, in __half; this fragment is not emulated");
};

template <class T, int size>
void fill_fragment(__frag_base<T, size>& f, const typename detail::Storage<T>::type& value) {
  for (int i = 0; i < size; ++i) f.x[i] = value;
}

template <class Use, int m, int n, int k, class T, class Layout>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f,
                                                    const typename detail::Storage<T>::type* tile, unsigned ld,
                                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  static_assert(!std::is_same_v<Use, accumulator>, "sums are loaded with a layout: mem_row_major or mem_col_major");
  using Walk = detail::Walk<detail::kind<T, m, n, k>(), detail::operand<Use>(), std::is_same_v<Layout, row_major>>;
  cairn::emu::check_tile("load_matrix_sync", tile, ld, sizeof *tile, site);
  bool done = false;
  if constexpr (sizeof *tile == 2) {
    done = cairn::emu::is_in_shared(tile);
    if (done) Walk::load_matrices(f.x, tile, ld, site);
  }
  if (!done) Walk::load(f.x, tile, ld);
  for (int i = Walk::each; i < f.num_elements; ++i) f.x[i] = f.x[i % Walk::each];
  cairn::emu::check_same_tile("load_matrix_sync", tile, ld, site);
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* tile, unsigned ld,
                                                    layout_t layout,
                                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  using detail::Operand;
  constexpr detail::Kind kind = detail::kind<T, m, n, k>();
  cairn::emu::check_tile("load_matrix_sync", tile, ld, sizeof *tile, site);
  if (layout == mem_row_major) {
    detail::Walk<kind, Operand::c, true>::load(f.x, tile, ld);
  } else {
    detail::Walk<kind, Operand::c, false>::load(f.x, tile, ld);
  }
  cairn::emu::check_same_tile("load_matrix_sync", tile, ld, site);
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void store_matrix_sync(T* tile, const fragment<accumulator, m, n, k, T>& f, unsigned ld,
                                                     layout_t layout,
                                                     cairn::emu::Site site = cairn::emu::Site::current()) {
  using detail::Operand;
  constexpr detail::Kind kind = detail::kind<T, m, n, k>();
  cairn::emu::check_tile("store_matrix_sync", tile, ld, sizeof *tile, site);
  cairn::emu::check_same_tile("store_matrix_sync", tile, ld, site);
  if (layout == mem_row_major) {
    detail::Walk<kind, Operand::c, true>::store(tile, f.x, ld);
  } else {
    detail::Walk<kind, Operand::c, false>::store(tile, f.x, ld);
  }
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class Out, class In>
void mma_sync(fragment<accumulator, m, n, k, Out>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
              const fragment<matrix_b, m, n, k, T, LayoutB>& b, const fragment<accumulator, m, n, k, In>& c,
              cairn::emu::Site site = cairn::emu::Site::current()) {
  static_assert(std::is_same_v<T, __half> || (std::is_same_v<Out, float> && std::is_same_v<In, float>),
                "sums in __half are for products of __half");
  static constexpr cairn::emu::Multiply what{detail::kind<T, m, n, k>(), std::is_same_v<In, __half>,
                                             std::is_same_v<Out, __half>};
  cairn::emu::warp_mma(what, "mma_sync", {a.x, b.x, c.x, d.x}, site);
}

}  // namespace nvcuda::wmma
