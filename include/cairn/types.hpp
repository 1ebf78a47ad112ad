// The types that describe a matrix product, independent of how it is run.
//
// Everything here is plain C++20 and needs no CUDA: the public API, the kernels, the emulator and the
// laboratory all use these types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace cairn {

// How an element is stored. e4m3 is the 8-bit float with 4 exponent and 3 mantissa bits, no infinities.
enum class Type : std::uint8_t { f64, f32, f16, bf16, e4m3 };

// Whether a matrix is transposed before it is multiplied. All types are real, so the conjugate transpose
// is the transpose, and both names are accepted.
enum class Op : std::uint8_t { none, transpose, conjugate = transpose };

// Row-major (elements of a row are adjacent in memory) or column-major. One order for A, B and C.
enum class Order : std::uint8_t { row, column };

// How products are computed. `native` is IEEE arithmetic of the storage type, with f32 accumulation for
// narrower types (e4m3 sums of tensor cores are promoted to f32 after at most 128 products). f32 inputs
// may ask for `tf32` (tensor cores, factors rounded to 10 mantissa bits) or `split` (f32 accuracy from
// several products of narrower numbers), and e4m3 inputs for `fast` (no promotion: all of k is accumulated with the 14
// significant bits that tensor cores keep). Only the mode that was asked for is used, by the problem or, for all f32 of
// a handle, by Handle::set_f32 or CAIRN_F32 in the environment.
enum class Compute : std::uint8_t { native, tf32, split, fast };

// What the bits of C must not depend on, beside its own operands. `rows`: a row of C depends on its row of op(A), on
// op(B) and on C's old row, and neither on m nor on what else is in the batch, so that a request has the same answer
// whoever it shares a batch with. `columns` is the same for columns and n. The library then takes one kernel and one
// tile for every m (or n), and splits no sum along k, which is slower for some shapes.
enum class Invariant : std::uint8_t { none, rows, columns };

// A vector that is added to C: one element for each row of it (added along the row), or one for each column.
enum class Bias : std::uint8_t { none, rows, columns };

// The function that a result passes through before it is stored. gelu is x Φ(x) by erf, gelu_tanh its approximation by
// tanh, silu x / (1 + exp(-x)).
enum class Activation : std::uint8_t { none, relu, gelu, gelu_tanh, silu };

// What products are multiplied by besides alpha; beta * C is not. One number for an operand (tensor), or one for each row
// of op(A) or column of op(B) (vector); one for each of those and each 128 of k (vector_blocks); or one for each 128 of
// those and each 128 of k (blocks). The numbers of a row or column, one for each 128 of k, are next to each other.
enum class Scale : std::uint8_t { none, tensor, vector, vector_blocks, blocks };

// Whether the value before the activation is stored too, as training needs it: a matrix like C, beside it.
enum class Before : std::uint8_t { none, stored };

enum class Code : std::uint8_t {
  ok,
  invalid_argument,     // the call breaks a rule; nothing was read or written
  unsupported,          // a legal call that nothing on this device can run
  out_of_memory,        // on the host or on the device
  workspace_too_small,  // the caller's workspace; the message says how much is needed
  device_error,         // the device or its driver failed
  internal_error        // a fault in Cairn
};

// The outcome of a call: a code, and for anything but ok a message that names the argument and the rule
// it broke. Code::ok has an empty message and allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::ok;
  std::string message_;
};

std::string_view name(Type type);              // "bf16"
std::string_view name(Op op);                  // "n" or "t"
std::string_view name(Order order);            // "row"
std::string_view name(Compute compute);        // "tf32"
std::string_view name(Invariant invariant);    // "rows"
std::string_view name(Bias bias);              // "columns"
std::string_view name(Activation activation);  // "gelu"
std::string_view name(Before before);          // "stored"
std::string_view name(Scale scale);            // "vector"
std::string_view name(Code code);              // "invalid_argument"

constexpr std::int64_t size_of(Type type) {
  switch (type) {
    case Type::f64: return 8;
    case Type::f32: return 4;
    case Type::f16:
    case Type::bf16: return 2;
    case Type::e4m3: return 1;
  }
  return 0;  // a value cast from outside the enumeration
}

// The type of the accumulators, to which alpha and beta are rounded before anything else.
constexpr Type accumulator(Type in) { return in == Type::f64 ? Type::f64 : Type::f32; }

// The memory layout of one matrix. `major` is the number of lines (rows in row order, columns in column
// order), `minor` the elements of a line, `ld` the elements from the start of one line to the next.
struct Stored {
  std::int64_t major = 0;
  std::int64_t minor = 0;
  std::int64_t ld = 0;

  std::int64_t min_ld() const { return minor > 1 ? minor : 1; }
  // Elements from the first of the matrix to one past its last; the padding of the last line is not
  // part of the matrix, so that a sub-matrix at the end of an allocation is legal.
  std::int64_t span() const { return major == 0 || minor == 0 ? 0 : (major - 1) * ld + minor; }
  bool operator==(const Stored&) const = default;
};

// C = alpha * op(A) * op(B) + beta * C, described without its data: op(A) is m x k, op(B) is k x n, C is
// m x n. `batch` such products lie stride_* elements apart; stride_a or stride_b 0 shares one matrix.
//
// API calls, plans, test cases and benchmark records all use this one struct. It prints in a short form
// for people and in a full form for machines; parse() reads both.
struct Problem {
  Type in = Type::f32;   // A and B
  Type out = Type::f32;  // C
  Compute compute = Compute::native;
  Order order = Order::row;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t batch = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  Invariant invariant = Invariant::none;
  // C = activation(alpha * op(A) * op(B) + beta * C + bias), rounded once. A residual is C with beta.
  Bias bias = Bias::none;
  Type bias_type = Type::f32;    // f32 (f64 for f64 inputs), or C's
  std::int64_t stride_bias = 0;  // elements from one product's to the next; 0 shares one
  Activation activation = Activation::none;
  Before before = Before::none;  // has C's type, leading dimension and stride
  // alpha * scale_a * scale_b * op(A) * op(B): f32 (f64 for f64 inputs), on the device.
  Scale scale_a = Scale::none, scale_b = Scale::none;
  std::int64_t stride_scale_a = 0, stride_scale_b = 0;  // elements from one product's to the next; 0 shares them
  // The rows of A and C are those of so many groups, one behind the other, and each group has a B of its own, stride_b
  // apart. Where a group ends is known on the device alone. Row-major, and a single product; 0: there are no groups.
  std::int64_t groups = 0;

  bool operator==(const Problem&) const = default;

  // The memory layout of the three matrices.
  Stored a() const { return stored(op_a, m, k, lda); }
  Stored b() const { return stored(op_b, k, n, ldb); }
  Stored c() const { return stored(Op::none, m, n, ldc); }
  std::int64_t bias_elements() const { return bias == Bias::rows ? m : bias == Bias::columns ? n : 0; }
  static constexpr std::int64_t kScaleBlock = 128;
  std::int64_t scale_a_elements() const { return scale_elements(scale_a, m); }
  std::int64_t scale_b_elements() const { return scale_elements(scale_b, n); }
  bool is_grouped() const { return groups > 0; }
  // How many B there are, and vectors of a bias: those of columns go with B.
  std::int64_t count_b() const { return is_grouped() ? groups : batch; }
  std::int64_t count_bias() const { return bias == Bias::columns ? count_b() : batch; }
  bool is_scaled() const { return scale_a != Scale::none || scale_b != Scale::none; }
  // Whether more is asked for than alpha * op(A) * op(B) + beta * C.
  bool has_epilogue() const {
    return bias != Bias::none || activation != Activation::none || before != Before::none || is_scaled();
  }

  // A problem whose matrices are packed: every ld the smallest legal one, batches end to end.
  static Problem packed(Type type, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                        Order order = Order::row, std::int64_t batch = 1);
  // Sets every ld to its minimum and every stride to end-to-end; sizes, ops and order stay.
  void pack();

  // "bf16 nt 4096x4096x4096"; what differs from packed row-major follows as key=value. The strides of a batch
  // of one have no meaning and are left out.
  std::string brief() const;
  std::string full() const;  // every field as key=value

 private:
  std::int64_t scale_elements(Scale scale, std::int64_t lines) const {
    const auto blocks_of = [](std::int64_t x) { return x / kScaleBlock + (x % kScaleBlock != 0 ? 1 : 0); };
    switch (scale) {
      case Scale::none: return 0;
      case Scale::tensor: return 1;
      case Scale::vector: return lines;
      case Scale::vector_blocks: return lines * blocks_of(k);
      case Scale::blocks: break;
    }
    return blocks_of(lines) * blocks_of(k);
  }
  // `rows` and `cols` are those of op(X); a transposed matrix is stored as cols x rows.
  Stored stored(Op op, std::int64_t rows, std::int64_t cols, std::int64_t ld) const {
    const bool lines_are_rows = (order == Order::row) == (op == Op::none);
    return lines_are_rows ? Stored{rows, cols, ld} : Stored{cols, rows, ld};
  }
};

// Each reads what name() prints; parse(Op) also takes "c". On failure `out` is left as it was.
Status parse(std::string_view text, Type& out);
Status parse(std::string_view text, Op& out);
Status parse(std::string_view text, Order& out);
Status parse(std::string_view text, Compute& out);
Status parse(std::string_view text, Invariant& out);
Status parse(std::string_view text, Bias& out);
Status parse(std::string_view text, Activation& out);
Status parse(std::string_view text, Before& out);
Status parse(std::string_view text, Scale& out);

// Reads both forms, and anything between: a type (f64 f32 tf32 split f16 bf16 e4m3 e4m3fast, or in:out
// such as e4m3:bf16), a layout (nn nt tn tt), a shape (MxNxK, or one number for a cube) and key=value in
// any order. Only the shape is required; the defaults are f32, nn, row-major, packed, native, batch 1.
// Values are not checked here: an ld below the minimum parses, and the call that uses it is refused.
Status parse(std::string_view text, Problem& out);

}  // namespace cairn
