#include "src/dispatch/check.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "src/dispatch/overlap.hpp"

namespace cairn::dispatch {
namespace {

Status invalid(std::string message) { return {Code::invalid_argument, std::move(message)}; }

std::string number(std::int64_t value) { return std::to_string(value); }

Status not_negative(const char* what, std::int64_t value) {
  if (value >= 0) return {};
  return invalid(std::string(what) + " is " + number(value) + "; it must be at least 0");
}

// A field that a caller may have cast from another number.
template <class E> Status in_enum(const char* what, E value, const char* type, E last) {
  if (value <= last) return {};
  return invalid(std::string(what) + " is " + number(static_cast<std::int64_t>(value)) + "; it must be " + type +
                 ", from 0 to " + number(static_cast<std::int64_t>(last)));
}

Status check_enums(const Problem& p) {
  if (auto s = in_enum("in", p.in, "a Type", Type::e4m3); !s.ok()) return s;
  if (auto s = in_enum("out", p.out, "a Type", Type::e4m3); !s.ok()) return s;
  if (auto s = in_enum("compute", p.compute, "a Compute", Compute::fast); !s.ok()) return s;
  if (auto s = in_enum("order", p.order, "an Order", Order::column); !s.ok()) return s;
  if (auto s = in_enum("op_a", p.op_a, "an Op", Op::transpose); !s.ok()) return s;
  if (auto s = in_enum("op_b", p.op_b, "an Op", Op::transpose); !s.ok()) return s;
  return in_enum("invariant", p.invariant, "an Invariant", Invariant::columns);
}

// C has the type of the inputs or a wider one. Inputs wider than C are not offered: the caller can convert them
// first.
Status check_types(const Problem& p) {
  bool pair = p.in == p.out;
  if (p.in == Type::f16 || p.in == Type::bf16) pair |= p.out == Type::f32;
  if (p.in == Type::e4m3) pair |= p.out == Type::f32 || p.out == Type::f16 || p.out == Type::bf16;
  if (!pair) {
    return invalid("out is " + std::string(name(p.out)) + " for " + std::string(name(p.in)) +
                   " inputs; it must be the same type or f32, or for e4m3 inputs also f16 or bf16 (f64 only "
                   "goes with f64)");
  }
  const Type needed = p.compute == Compute::fast ? Type::e4m3 : Type::f32;
  if (p.compute != Compute::native && p.in != needed) {
    return invalid("compute is " + std::string(name(p.compute)) + " for " + std::string(name(p.in)) +
                   " inputs; it needs " + std::string(name(needed)) + " inputs");
  }
  return {};
}

// One matrix and its batch: ld, stride, and that its extent in bytes fits 64 bits.
Status check_matrix(char which, const Stored& s, Type type, std::int64_t batch, std::int64_t stride,
                    const Problem& p) {
  const std::string small(1, static_cast<char>(which - 'A' + 'a'));
  if (s.ld < s.min_ld()) {
    const char* line = p.order == Order::row ? "row" : "column";
    return invalid("ld" + small + " is " + number(s.ld) + "; it must be at least " + number(s.min_ld()) +
                   ", the length of a stored " + line + " of " + which);
  }
  if (stride < 0) return not_negative(("stride_" + small).c_str(), stride);
  if (s.major == 0 || s.minor == 0 || batch == 0) return {};

  // (batch - 1) * stride + (major - 1) * ld + minor elements, in bytes.
  std::int64_t lines = 0, batches = 0, bytes = 0;
  if (__builtin_mul_overflow(s.major - 1, s.ld, &lines) || __builtin_add_overflow(lines, s.minor, &lines) ||
      __builtin_mul_overflow(batch - 1, stride, &batches) || __builtin_add_overflow(lines, batches, &batches) ||
      __builtin_mul_overflow(batches, size_of(type), &bytes)) {
    return invalid(std::string(1, which) + " spans more than " + number(std::numeric_limits<std::int64_t>::max()) +
                   " bytes (ld" + small + " " + number(s.ld) + ", " + number(s.major) + " lines, batch " +
                   number(batch) + ", stride_" + small + " " + number(stride) + ")");
  }
  return {};
}

// Two products of a batch must not write the same element: their C follow each other in memory, or are column blocks
// (row blocks in column order) of one wider matrix.
Status check_stride_c(const Problem& p) {
  const Stored c = p.c();
  if (p.batch < 2 || c.span() == 0 || p.stride_c >= c.span()) return {};
  const bool side_by_side = p.stride_c >= c.minor && p.stride_c <= (c.ld - c.minor) / (p.batch - 1);
  if (side_by_side) return {};
  return invalid("stride_c is " + number(p.stride_c) + "; with batch " + number(p.batch) + " it must be at least " +
                 number(c.span()) + ", the elements that one C spans, or at least " + number(c.minor) +
                 " with ldc large enough for all of them side by side");
}

Status check_overlap(const Problem& p, const void* A, const void* B, const void* C) {
  const Footprint c(C, p.c(), p.out, p.batch, p.stride_c);
  const auto shared = [](char which) {
    return invalid(std::string("C overlaps ") + which + "; C must not share memory with A or B");
  };
  if (overlap(Footprint(A, p.a(), p.in, p.batch, p.stride_a), c)) return shared('A');
  if (overlap(Footprint(B, p.b(), p.in, p.batch, p.stride_b), c)) return shared('B');
  return {};
}

}  // namespace

Status check(const Problem& p) {
  if (auto s = check_enums(p); !s.ok()) return s;
  const std::pair<const char*, std::int64_t> sizes[] = {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"batch", p.batch}};
  for (const auto& [what, value] : sizes) {
    if (auto s = not_negative(what, value); !s.ok()) return s;
  }
  if (auto s = check_types(p); !s.ok()) return s;
  if (auto s = check_matrix('A', p.a(), p.in, p.batch, p.stride_a, p); !s.ok()) return s;
  if (auto s = check_matrix('B', p.b(), p.in, p.batch, p.stride_b, p); !s.ok()) return s;
  if (auto s = check_matrix('C', p.c(), p.out, p.batch, p.stride_c, p); !s.ok()) return s;
  return check_stride_c(p);
}

Status check_pointers(const Problem& p, double alpha, const void* A, const void* B, const void* C) {
  if (p.m == 0 || p.n == 0 || p.batch == 0) return {};
  const auto bad = [](const void* pointer, Type type) {
    return pointer == nullptr ||
           reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(size_of(type)) != 0;
  };
  const auto refused = [](char which, const void* pointer, Type type, const char* when) {
    if (pointer == nullptr) {
      return invalid(std::string(1, which) + " is null; it must point to the matrix unless " + when);
    }
    return invalid(std::string(1, which) + " is not aligned to its element type; an address of " +
                   std::string(name(type)) + " must be a multiple of " + number(size_of(type)));
  };
  if (p.k > 0 && alpha != 0) {
    if (bad(A, p.in)) return refused('A', A, p.in, "alpha, m, n, k or batch is 0");
    if (bad(B, p.in)) return refused('B', B, p.in, "alpha, m, n, k or batch is 0");
  }
  if (bad(C, p.out)) return refused('C', C, p.out, "m, n or batch is 0");
  return p.k > 0 && alpha != 0 ? check_overlap(p, A, B, C) : Status{};
}

}  // namespace cairn::dispatch
