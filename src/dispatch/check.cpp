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
  if (auto s = in_enum("invariant", p.invariant, "an Invariant", Invariant::columns); !s.ok()) return s;
  if (auto s = in_enum("bias", p.bias, "a Bias", Bias::columns); !s.ok()) return s;
  if (auto s = in_enum("bias_type", p.bias_type, "a Type", Type::e4m3); !s.ok()) return s;
  if (auto s = in_enum("activation", p.activation, "an Activation", Activation::silu); !s.ok()) return s;
  if (auto s = in_enum("before", p.before, "a Before", Before::stored); !s.ok()) return s;
  if (auto s = in_enum("scale_a", p.scale_a, "a Scale", Scale::blocks); !s.ok()) return s;
  return in_enum("scale_b", p.scale_b, "a Scale", Scale::blocks);
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

bool in_blocks(Scale scale) { return scale == Scale::vector_blocks || scale == Scale::blocks; }

// Vectors of numbers, one for each of `count` products (or groups): a bias, scales. Where the matrix that they belong to
// was seen to fit, so does the number of elements.
Status check_vectors(const std::string& name, std::int64_t (Problem::*elements)() const, Type type,
                     std::int64_t count, std::int64_t stride, const Problem& p) {
  if (auto s = not_negative(("stride_" + name).c_str(), stride); !s.ok()) return s;
  std::int64_t all = 0, bytes = 0;
  if (count > 0 &&
      (__builtin_mul_overflow(count - 1, stride, &all) || __builtin_add_overflow(all, (p.*elements)(), &all) ||
       __builtin_mul_overflow(all, size_of(type), &bytes))) {
    return invalid(name + " spans more than " + number(std::numeric_limits<std::int64_t>::max()) + " bytes (" +
                   (p.is_grouped() ? "groups " : "batch ") + number(count) + ", stride_" + name + " " +
                   number(stride) + ")");
  }
  return {};
}

Status check_scale(const std::string& name, Scale scale, const Problem& p) {
  if (!in_blocks(scale) || (p.in == Type::e4m3 && p.compute == Compute::native)) return {};
  return invalid(name + " is " + std::string(cairn::name(scale)) +
                 "; blocks of 128 need e4m3 inputs and native compute, whose sums are promoted every 128");
}

Status check_epilogue(const Problem& p) {
  if (in_blocks(p.scale_a) != in_blocks(p.scale_b)) {
    return invalid("scale_a is " + std::string(name(p.scale_a)) + " and scale_b is " + std::string(name(p.scale_b)) +
                   "; scales in blocks of 128 come for both or for none");
  }
  if (auto s = check_scale("scale_a", p.scale_a, p); !s.ok()) return s;
  if (auto s = check_scale("scale_b", p.scale_b, p); !s.ok()) return s;
  const Type wide = accumulator(p.in);
  if (p.scale_a != Scale::none) {
    Status s = check_vectors("scale_a", &Problem::scale_a_elements, wide, p.batch, p.stride_scale_a, p);
    if (!s.ok()) return s;
  }
  if (p.scale_b != Scale::none) {
    Status s = check_vectors("scale_b", &Problem::scale_b_elements, wide, p.count_b(), p.stride_scale_b, p);
    if (!s.ok()) return s;
  }
  if (p.bias != Bias::none) {
    if (p.bias_type != wide && p.bias_type != p.out) {
      return invalid("bias_type is " + std::string(name(p.bias_type)) + "; it must be " + std::string(name(wide)) +
                     " or the type of C, " + std::string(name(p.out)));
    }
    Status s = check_vectors("bias", &Problem::bias_elements, p.bias_type, p.count_bias(), p.stride_bias, p);
    if (!s.ok()) return s;
  }
  if (p.before == Before::stored && p.activation == Activation::none) {
    return invalid("before is stored, but activation is none; without one, the value before it is C");
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

// What is not read has no footprint: it may stand anywhere, with any ld and stride.
Status check_groups(const Problem& p) {
  if (auto s = not_negative("groups", p.groups); !s.ok() || p.groups == 0) return s;
  const std::string asked = "; with groups, of which there are " + number(p.groups) + ", it must be ";
  if (p.order != Order::row) return invalid("order is column" + asked + "row: exchange A and B, and groups are rows");
  if (p.batch != 1) return invalid("batch is " + number(p.batch) + asked + "1");
  constexpr std::int64_t most = std::int64_t{1} << 30;  // so that sums of rows and tiles fit 32 bits
  if (p.m > most) return invalid("m is " + number(p.m) + asked + "at most " + number(most));
  if (p.groups > most) return invalid("groups is " + number(p.groups) + "; it must be at most " + number(most));
  if (p.invariant != Invariant::none)
    return invalid("invariant is " + std::string(name(p.invariant)) + asked + "none");
  // A group may begin within 128 rows that share a scale.
  if (p.scale_a == Scale::blocks)
    return invalid("scale_a is blocks" + asked + "another: rows of two groups share none");
  return {};
}

Status check_overlap(const Problem& p, bool reads, const Operands& data) {
  const auto shared = [](const char* what, const char* with) {
    return invalid(std::string(what) + " overlaps " + with +
                   "; what is written must not share memory with anything else");
  };
  const auto check_written = [&](const char* what, const Footprint& written) {
    if (reads && overlap({data.A, p.a(), p.in, p.batch, p.stride_a}, written)) return shared(what, "A");
    if (reads && overlap({data.B, p.b(), p.in, p.count_b(), p.stride_b}, written)) return shared(what, "B");
    const Stored ends{1, p.groups, p.groups};
    if (p.is_grouped() && overlap({data.ends, ends, Type::f32, 1, 0}, written)) return shared(what, "ends");
    const Stored bias{1, p.bias_elements(), p.bias_elements()};
    const bool biased = p.bias != Bias::none;
    const auto scaled = [&](const void* scales, std::int64_t elements, std::int64_t count, std::int64_t stride) {
      if (!reads || elements == 0) return false;
      return overlap({scales, {1, elements, elements}, accumulator(p.in), count, stride}, written);
    };
    if (scaled(data.scale_a, p.scale_a_elements(), p.batch, p.stride_scale_a)) return shared(what, "scale_a");
    if (scaled(data.scale_b, p.scale_b_elements(), p.count_b(), p.stride_scale_b)) return shared(what, "scale_b");
    if (biased && overlap({data.bias, bias, p.bias_type, p.count_bias(), p.stride_bias}, written))
      return shared(what, "bias");
    return Status{};
  };
  const Footprint c(data.C, p.c(), p.out, p.batch, p.stride_c);
  if (auto s = check_written("C", c); !s.ok() || p.before == Before::none) return s;
  const Footprint before(data.before, p.c(), p.out, p.batch, p.stride_c);
  if (auto s = check_written("before", before); !s.ok()) return s;
  return overlap(before, c) ? shared("before", "C") : Status{};
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
  if (auto s = check_groups(p); !s.ok()) return s;
  if (auto s = check_matrix('B', p.b(), p.in, p.count_b(), p.stride_b, p); !s.ok()) return s;
  if (auto s = check_matrix('C', p.c(), p.out, p.batch, p.stride_c, p); !s.ok()) return s;
  if (auto s = check_stride_c(p); !s.ok()) return s;
  return check_epilogue(p);
}

Status check_pointers(const Problem& p, double alpha, const Operands& data) {
  if (p.m == 0 || p.n == 0 || p.batch == 0) return {};
  const auto check_one = [](const char* which, const void* pointer, Type type, const char* unless) -> Status {
    if (pointer == nullptr) return invalid(std::string(which) + " is null; it must point to " + unless);
    if (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(size_of(type)) == 0) return {};
    return invalid(std::string(which) + " is not aligned to its element type; an address of " +
                   std::string(name(type)) + " must be a multiple of " + number(size_of(type)));
  };
  const bool reads = p.k > 0 && alpha != 0;
  const char* const inputs = "the matrix unless alpha, m, n, k or batch is 0";
  if (reads) {
    if (auto s = check_one("A", data.A, p.in, inputs); !s.ok()) return s;
    if (auto s = check_one("B", data.B, p.in, inputs); !s.ok()) return s;
  }
  if (auto s = check_one("C", data.C, p.out, "the matrix unless m, n or batch is 0"); !s.ok()) return s;
  const auto check_scale = [&](const char* which, Scale scale, const void* data_of) -> Status {
    if (scale == Scale::none || !reads) return {};
    return check_one(which, data_of, accumulator(p.in), "the scales unless alpha, m, n, k or batch is 0");
  };
  if (auto s = check_scale("scale_a", p.scale_a, data.scale_a); !s.ok()) return s;
  if (auto s = check_scale("scale_b", p.scale_b, data.scale_b); !s.ok()) return s;
  if (p.is_grouped()) {
    if (auto s = check_one("ends", data.ends, Type::f32, "the ends of the groups unless m or n is 0"); !s.ok())
      return s;
  }
  if (p.bias != Bias::none) {
    const char* const vector = "the vector unless the problem's bias is none, or m, n or batch is 0";
    if (auto s = check_one("bias", data.bias, p.bias_type, vector); !s.ok()) return s;
  }
  if (p.before == Before::stored) {
    const char* const matrix = "a matrix like C unless the problem's before is none, or m, n or batch is 0";
    if (auto s = check_one("before", data.before, p.out, matrix); !s.ok()) return s;
  }
  return check_overlap(p, reads, data);
}

}  // namespace cairn::dispatch
