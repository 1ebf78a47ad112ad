#include "tests/device/draw.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cairn/numbers.hpp"

namespace cairn::device_ops {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

// One number's bits.
struct Format {
  int exponent_bits, fraction;
};
constexpr Format kFormats[] = {{5, 10}, {8, 7}, {8, 23}, {4, 3}};

std::uint32_t draw(Random& random, Data data, const Format& f) {
  const std::uint32_t fraction = random.next() & ((1u << f.fraction) - 1);
  const std::uint32_t sign = (random.next() >> 31) << (f.exponent_bits + f.fraction);
  const std::uint32_t bias = (1u << (f.exponent_bits - 1)) - 1, most = 2 * bias + 1;
  switch (data) {
    case Data::integers: {
      const std::uint32_t size = random.next() % 9;  // 0 to 8
      if (size == 0) return 0;
      const auto exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
      return sign | (bias + exponent) << f.fraction | (size << f.fraction >> exponent & ((1u << f.fraction) - 1));
    }
    case Data::near_one: return sign | (bias - 4 + random.next() % 8) << f.fraction | fraction;
    case Data::finite: return sign | random.next() % most << f.fraction | fraction;
    case Data::special:
      switch (random.next() % 16) {
        case 0: return sign;
        case 1: return sign | most << f.fraction;
        case 2: return sign | most << f.fraction | ((1u << f.fraction) - 1);  // of e4m3 the only NaN
        case 3: return sign | 1;
        case 4: return sign | ((most << f.fraction) - 1);
        case 5: return sign | 1u << f.fraction;
        default: return draw(random, Data::integers, f);
      }
    case Data::subnormal:
      // Of a tf32 ten bits of the fraction are read. Some of these are zeros.
      if (random.next() % 4 != 0) return sign | fraction >> random.next() % std::min(f.fraction, 10);
      return sign | (1 + random.next() % (most - 1)) << f.fraction | fraction;
    case Data::bits: break;
  }
  return random.next();
}

float factor(std::uint32_t bits, Type type) {
  switch (type) {
    case Type::f16: return static_cast<float>(f16::from_bits(static_cast<std::uint16_t>(bits)));
    case Type::bf16: return static_cast<float>(bf16::from_bits(static_cast<std::uint16_t>(bits)));
    case Type::e4m3: return static_cast<float>(e4m3::from_bits(static_cast<std::uint8_t>(bits)));
    case Type::tf32:
    case Type::f64: break;
  }
  return std::bit_cast<float>(bits);
}

// A sum so far that is as large as a product of such factors, with all the bits it can have.
std::uint32_t draw_sum(Random& random, Type type, bool half) {
  const Format& f = kFormats[static_cast<int>(type)];
  const float a = factor(draw(random, Data::subnormal, f), type), b = factor(draw(random, Data::subnormal, f), type);
  const double more = 1 + 0x1p-32 * random.next(), largest = half ? 65504 : 0x1.fffffep127;
  const double sum = std::clamp(static_cast<double>(a) * static_cast<double>(b) * more, -largest, largest);
  return half ? f16(sum).bits : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
}

}  // namespace

const char* name(Data data) {
  constexpr const char* names[] = {"bits", "integers", "near one", "finite", "special", "subnormal"};
  return names[static_cast<int>(data)];
}

Bytes draw_tiles(const Op& op, int tiles, Data data, std::uint64_t seed) {
  Random random(seed);
  Bytes in(static_cast<std::size_t>(tiles) * in_bytes(op));
  const bool moves = data == Data::bits;
  for (int tile = 0; tile < tiles; ++tile) {
    unsigned char* to = in.data() + static_cast<std::size_t>(tile) * in_bytes(op);
    if (moves) {
      for (int i = 0; i < in_bytes(op); i += 4) {
        const std::uint32_t word = random.next();
        std::memcpy(to + i, &word, sizeof word);
      }
      if (op.what == What::matrices || op.what == What::transposed) {
        for (int lane = 0; lane < 32; ++lane) to[512 + lane] %= 32;
      }
      continue;
    }
    const auto fill = [&](int from, int end, int size, auto&& bits_of) {
      for (int at = from; at < end; at += size) {
        const std::uint32_t bits = bits_of();
        std::memcpy(to + at, &bits, static_cast<std::size_t>(size));
      }
    };
    fill(0, c_begins(op), bytes_each(op),
         [&] { return draw(random, data, kFormats[static_cast<int>(op.kind.type)]); });
    fill(c_begins(op), in_bytes(op), sum_bytes(op.half_in), [&] {
      return data == Data::subnormal ? draw_sum(random, op.kind.type, op.half_in)
                                     : draw(random, data, op.half_in ? kFormats[0] : kFormats[2]);
    });
  }
  return in;
}

}  // namespace cairn::device_ops
