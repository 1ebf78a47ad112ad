#include "lab/verify/case.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lab/random.hpp"
#include "lab/scalars.hpp"
#include "lab/verify/hard.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Every pair of types that the library takes, and the compute modes.
struct Kind {
  Type in, out;
  Compute compute = Compute::native;
};
constexpr Kind kKinds[] = {
    {Type::f64, Type::f64},
    {Type::f32, Type::f32},
    {Type::f32, Type::f32, Compute::tf32},
    {Type::f32, Type::f32, Compute::split},
    {Type::f16, Type::f16},
    {Type::f16, Type::f32},
    {Type::bf16, Type::bf16},
    {Type::bf16, Type::f32},
    {Type::e4m3, Type::e4m3},
    {Type::e4m3, Type::f16},
    {Type::e4m3, Type::bf16},
    {Type::e4m3, Type::f32},
    {Type::e4m3, Type::e4m3, Compute::fast},
    {Type::e4m3, Type::f16, Compute::fast},
    {Type::e4m3, Type::bf16, Compute::fast},
    {Type::e4m3, Type::f32, Compute::fast},
};

// Sizes where kernels go wrong: nothing, one, and one to either side of a tile.
std::int64_t draw_size(Random& random, std::int64_t max) {
  constexpr std::int64_t kEdges[] = {8, 16, 32, 64, 128, 256};
  const auto kind = random.integer(0, 9);
  if (kind == 0) return random.integer(0, std::min<std::int64_t>(max, 4));
  if (kind < 5) return random.integer(0, max);
  const std::int64_t edge = random.pick(kEdges);
  const std::int64_t tiles = random.integer(1, std::max<std::int64_t>(1, max / edge));
  return std::clamp<std::int64_t>(tiles * edge + random.integer(-1, 1), 0, max);
}

// Mostly three sizes on their own; sometimes all of them whole tiles, and sometimes A and B of one stored shape, so
// that they can be the same memory.
void draw_shape(Random& random, std::int64_t max, Problem& p) {
  p.m = draw_size(random, max);
  p.n = draw_size(random, max);
  p.k = draw_size(random, max);
  if (random.chance(10)) {
    for (std::int64_t* size : {&p.m, &p.n, &p.k}) *size = std::min((*size + 31) / 32 * 32, max / 32 * 32);
  } else if (random.chance(6)) {
    p.n = p.m;
    if (p.op_a == p.op_b) p.k = p.m;
  }
}

double draw_scalar(Random& random, double usual) {
  constexpr double kScalars[] = {0, 1, -1, 0.5};
  if (random.chance(4)) return kNan;
  return random.chance(40) ? usual : random.pick(kScalars);
}

// The minimum, or above it: by anything (so that rows lose their alignment) or to the next multiple of 16.
std::int64_t draw_ld(Random& random, std::int64_t min) {
  if (random.chance(50)) return min;
  return random.chance(30) ? (min + 15) / 16 * 16 : min + random.integer(1, 17);
}

std::int64_t draw_stride(Random& random, const Stored& matrix, bool may_share) {
  if (may_share && random.chance(25)) return 0;
  return matrix.major * matrix.ld + (random.chance(50) ? 0 : random.integer(1, 40));
}

std::int64_t draw_offset(Random& random) { return random.chance(50) ? 0 : random.integer(1, 15); }

void draw_scale_places(Random& random, Case& c) {
  Problem& p = c.problem;
  if (random.chance(50)) p.stride_scale_a = p.scale_a_elements() + random.integer(0, 3);
  if (random.chance(50)) p.stride_scale_b = p.scale_b_elements() + random.integer(0, 3);
  c.offset_scale_a = draw_offset(random), c.offset_scale_b = draw_offset(random);
}

void draw_scales(Random& random, Case& c) {
  constexpr Scale kScales[] = {Scale::none, Scale::tensor, Scale::vector};
  constexpr Scale kBlocks[] = {Scale::vector_blocks, Scale::blocks};
  Problem& p = c.problem;
  const bool blocks = p.in == Type::e4m3 && p.compute == Compute::native && random.chance(50);
  p.scale_a = blocks ? random.pick(kBlocks) : random.pick(kScales);
  p.scale_b = blocks ? random.pick(kBlocks) : random.pick(kScales);
  draw_scale_places(random, c);
}

void draw_epilogue(Random& random, Case& c) {
  constexpr Bias kBiases[] = {Bias::none, Bias::rows, Bias::columns};
  constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                         Activation::silu};
  Problem& p = c.problem;
  p.bias = random.pick(kBiases);
  p.bias_type = random.chance(50) ? accumulator(p.in) : p.out;
  if (p.bias != Bias::none && random.chance(60)) p.stride_bias = p.bias_elements() + random.integer(0, 3);
  p.activation = random.pick(kActivations);
  if (p.activation != Activation::none && random.chance(40)) p.before = Before::stored;
  c.offset_bias = draw_offset(random), c.offset_before = draw_offset(random);
  if (random.chance(50)) draw_scales(random, c);
}

// That of `named`, whose bias is f32 or of C's type.
void take_epilogue(Random& random, const Problem& named, Case& c) {
  Problem& p = c.problem;
  p.bias = named.bias, p.activation = named.activation, p.before = named.before;
  p.bias_type = named.bias_type == named.out ? p.out : accumulator(p.in);
  if (random.chance(60)) p.stride_bias = p.bias_elements();
  c.offset_bias = draw_offset(random), c.offset_before = draw_offset(random);
  p.scale_a = named.scale_a, p.scale_b = named.scale_b;
  if (p.is_scaled()) draw_scale_places(random, c);
}

}  // namespace

const std::vector<Problem>& every_kind() {
  static const std::vector<Problem> kinds = [] {
    std::vector<Problem> all;
    for (const auto& [in, out, compute] : kKinds) {
      for (const Order order : {Order::row, Order::column}) {
        for (const Op op_a : {Op::none, Op::transpose}) {
          for (const Op op_b : {Op::none, Op::transpose}) {
            all.push_back(Problem::packed(in, op_a, op_b, 1, 1, 1, order));
            all.back().out = out, all.back().compute = compute;
          }
        }
      }
    }
    return all;
  }();
  return kinds;
}

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::exact: return "exact";
    case Mode::rounding: return "rounding";
    case Mode::special: return "special";
  }
  return "unknown";
}

bool Case::reads_inputs() const {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0 && alpha != 0;
}

std::string Case::describe() const {
  std::string text = fmt::format("{}, alpha {}, beta {}, {}{} data", problem.brief(), alpha, beta,
                                 is_hard(*this) ? "hard " : "", name(mode));
  if (offset_a + offset_b + offset_c > 0) text += fmt::format(", offsets {} {} {}", offset_a, offset_b, offset_c);
  if (offset_bias + offset_before > 0)
    text += fmt::format(", offsets {} of bias, {} of before", offset_bias, offset_before);
  if (offset_scale_a + offset_scale_b > 0)
    text += fmt::format(", offsets {} and {} of scales", offset_scale_a, offset_scale_b);
  if (alias) text += ", B is A";
  if (null_inputs) text += ", A and B null";
  return text;
}

namespace {

std::int64_t up(std::int64_t elements, int bytes, Type type) {
  const auto multiple = std::max<std::int64_t>(1, bytes / size_of(type));
  return (elements + multiple - 1) / multiple * multiple;
}

}  // namespace

Problem with_rows(Problem problem, int bytes) {
  for (std::int64_t* distance : {&problem.lda, &problem.ldb, &problem.stride_a, &problem.stride_b})
    *distance = up(*distance, bytes, problem.in);
  return problem;
}

Case with_pointers(Case test, int bytes) {
  for (std::int64_t* offset : {&test.offset_a, &test.offset_b}) *offset = up(*offset, bytes, test.problem.in);
  return test;
}

Case without_epilogue(Case test) {
  Problem& p = test.problem;
  const Problem none;
  p.bias = none.bias, p.bias_type = none.bias_type, p.stride_bias = none.stride_bias;
  p.activation = none.activation, p.before = none.before;
  p.scale_a = none.scale_a, p.scale_b = none.scale_b;
  p.stride_scale_a = none.stride_scale_a, p.stride_scale_b = none.stride_scale_b;
  test.offset_bias = test.offset_before = test.offset_scale_a = test.offset_scale_b = 0;
  return test;
}

Case without_groups(Case test) {
  test.problem.groups = 0;
  return test;
}

std::uint64_t case_seed(std::uint64_t run_seed, std::int64_t index) {
  Random random(run_seed);
  Random own(random.bits() + static_cast<std::uint64_t>(index));
  return own.bits();
}

Case draw(std::uint64_t seed, const Space& space) {
  Random random(seed);
  Case c;
  c.seed = seed;
  const auto& kinds = space.like.empty() ? every_kind() : space.like;
  Problem& p = c.problem = kinds[static_cast<std::size_t>(random.integer(0, std::ssize(kinds) - 1))];

  p.batch = random.chance(85) ? 1 : random.integer(0, 5);
  if (space.batch) p.batch = *space.batch;
  const std::int64_t max = p.batch > 1 ? std::min<std::int64_t>(space.max_size, 80) : space.max_size;
  if (!space.fixed_shape) draw_shape(random, max, p);
  p.lda = draw_ld(random, p.a().min_ld());
  p.ldb = draw_ld(random, p.b().min_ld());
  p.ldc = draw_ld(random, p.c().min_ld());
  space.leading.apply(p);
  p.stride_a = draw_stride(random, p.a(), true);
  p.stride_b = draw_stride(random, p.b(), true);
  p.stride_c = draw_stride(random, p.c(), false);

  c.alpha = draw_scalar(random, 1);
  c.beta = draw_scalar(random, 0);
  if (space.alpha) c.alpha = dispatch::rounded_scalar(*space.alpha, p.in);
  if (space.beta) c.beta = dispatch::rounded_scalar(*space.beta, p.in);
  const auto kind = random.integer(0, 99);
  c.mode = kind < 45 ? Mode::exact : kind < 85 ? Mode::rounding : Mode::special;
  const Scalars given{space.alpha.value_or(1), space.beta.value_or(0)};  // those that are drawn are exact
  if (c.mode == Mode::exact && !given.are_exact()) c.mode = Mode::rounding;
  c.offset_a = draw_offset(random);
  c.offset_b = draw_offset(random);
  c.offset_c = draw_offset(random);

  const bool same_shape = p.a().major == p.b().major && p.a().minor == p.b().minor;
  const bool given_apart = space.leading.any() && p.lda != p.ldb;
  if (same_shape && random.chance(30) && !given_apart) {
    c.alias = true;
    p.ldb = p.lda;
    p.stride_b = p.stride_a;
    c.offset_b = c.offset_a;
  }
  c.null_inputs = !c.reads_inputs() && random.chance(50);
  // Last, so that a seed draws what it drew before there was such a thing.
  if (random.chance(10)) p.invariant = random.chance(50) ? Invariant::rows : Invariant::columns;
  if (space.invariant) p.invariant = *space.invariant;
  const auto& given_epilogues = space.given_epilogues;
  if (random.chance(12) && space.epilogues && given_epilogues.empty()) draw_epilogue(random, c);
  if (!given_epilogues.empty()) {
    const std::int64_t which = random.integer(0, std::ssize(given_epilogues) - 1);
    take_epilogue(random, given_epilogues[static_cast<std::size_t>(which)], c);
  }
  if (c.mode == Mode::exact && !is_exact(c.problem.activation)) c.mode = Mode::rounding;
  const bool may_group = p.order == Order::row && p.batch == 1 && p.invariant == Invariant::none;
  if (may_group && random.chance(8)) p.groups = random.integer(1, 7);
  if (space.groups) p.groups = *space.groups;
  if (p.is_grouped()) {
    c.alias = false;  // of one group alone could B be A
    p.invariant = Invariant::none;
    if (p.scale_a == Scale::blocks) p.scale_a = Scale::vector_blocks;
  }
  return c;
}

}  // namespace cairn::lab::verify
