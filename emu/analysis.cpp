#include "emu/analysis.hpp"

#include <algorithm>
#include <bit>

namespace cairn::emu {
namespace {

// The rule of shared memory, in the same words for every size. A lane asks for one unit of 4, 8 or 16 bytes (what is
// smaller is part of a unit of 4). The 128 bytes that the banks deliver together are then 32, 16 or 8 slots: single
// banks, pairs, or groups of four. Unit i lies in slot i mod slots. A request is served in parts of as many lanes as
// there are slots: all lanes at once, halves, or quarters of the warp. Two neighbouring parts are served as one where
// all their lanes share what they ask for with the lane beside them (i and i xor 1), or all with the lane after that
// (i and i xor 2), but not those of ldmatrix, where a part is a matrix. A part takes as many wavefronts as its
// fullest slot has different units, and could not take fewer than its different units divided by the slots.
//
// Measured on an H200, for loads.
struct Split {
  unsigned unit_bits;  // a unit has 1 << unit_bits bytes
  unsigned slot_bits;  // and there are 1 << slot_bits slots
  unsigned slots() const { return 1U << slot_bits; }
  unsigned lanes() const { return slots(); }  // of a part
  unsigned parts() const { return 32 / lanes(); }
};

constexpr Split split(unsigned bytes) {
  if (bytes <= 4) return {2, 5};
  if (bytes <= 8) return {3, 4};
  return {4, 3};
}

// Whether each lane of a range accesses the same unit as the lane `apart` from it. An inactive lane matches any.
bool shared_with(const Request& request, unsigned apart, unsigned first, unsigned lanes, unsigned bits) {
  std::uint64_t differ = 0;
  for (unsigned i = first; i < first + lanes; ++i) {
    const bool both = (request.lanes >> i & request.lanes >> (i ^ apart) & 1) != 0;
    differ |= both ? (request.address[i] ^ request.address[i ^ apart]) >> bits : 0;
  }
  return differ == 0;
}

// Calls each(first, lanes) for the parts of a request, as they are served.
template <typename Each> void for_each_part(const Request& request, const Split& how, Each each) {
  const unsigned lanes = how.lanes();
  if (lanes == 32) return each(0U, 32U);
  for (unsigned first = 0; first < 32; first += 2 * lanes) {
    if (!request.matrices && (shared_with(request, 1, first, 2 * lanes, how.unit_bits) ||
                              shared_with(request, 2, first, 2 * lanes, how.unit_bits))) {
      each(first, 2 * lanes);
    } else {
      each(first, lanes);
      each(first + lanes, lanes);
    }
  }
}

// The units (or sectors) of the lanes that take part, in the order of the lanes. Those of shared memory are 32 bits
// wide, which the compiler's vectors hold twice as many of.
template <typename T> struct Units {
  std::array<T, 32> at;
  unsigned count;
};

// Fills what the caller has: 256 bytes are not worth clearing first.
template <typename T>
void collect(const Request& request, unsigned first, unsigned lanes, unsigned bits, Units<T>& out) {
  const std::uint32_t all = lanes == 32 ? ~0U : (1U << lanes) - 1;
  const std::uint32_t mask = (request.lanes >> first) & all;
  if (mask == all) {
    for (unsigned i = 0; i < lanes; ++i) out.at[i] = static_cast<T>(request.address[first + i] >> bits);
    out.count = lanes;
    return;
  }
  unsigned count = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    out.at[count++] = static_cast<T>(request.address[first + static_cast<unsigned>(std::countr_zero(left))] >> bits);
  out.count = count;
}

// Calls each(unit) once for every different unit. A hash table of 64 places for at most 32 units: addresses of a warp
// are mostly equal steps apart, which this multiplier spreads evenly.
template <typename T, typename Each> void for_each_different(const Units<T>& units, Each each) {
  std::uint64_t taken = 0;
  std::array<T, 64> table;  // only the places in `taken` are read
  for (unsigned i = 0; i < units.count; ++i) {
    const T unit = units.at[i];
    auto place = static_cast<unsigned>((std::uint64_t{unit} * 0x9E3779B97F4A7C15U) >> 58);
    while ((taken >> place & 1) != 0 && table[place] != unit) place = (place + 1) % 64;
    if ((taken >> place & 1) != 0) continue;
    taken |= std::uint64_t{1} << place;
    table[place] = unit;
    each(unit);
  }
}

struct Served {
  Wavefronts wavefronts;
  std::array<std::uint8_t, 32> in_slot = {};  // different units of each
};

// The rule, as it stands above.
Served serve(const Units<std::uint32_t>& units, const Split& how) {
  Served out;
  unsigned different = 0;
  for_each_different(units, [&](std::uint32_t unit) {
    ++different;
    const unsigned here = ++out.in_slot[unit % how.slots()];
    out.wavefronts.all = std::max(out.wavefronts.all, here);
  });
  out.wavefronts.least = (different + how.slots() - 1) / how.slots();
  return out;
}

// Lanes that share what they read, as those in a row or a column of a tile do: the second half of them may want what
// the first half does, and neighbours the same. What is left may still hold a unit more than once.
void drop_repeated(Units<std::uint32_t>& units) {
  if (units.count % 2 == 0) {
    const unsigned half = units.count / 2;
    std::uint32_t differ = 0;
    for (unsigned i = 0; i < half; ++i) differ |= units.at[i] ^ units.at[i + half];
    if (differ == 0) units.count = half;
  }
  if (units.count < 2 || units.at[0] != units.at[1]) return;
  unsigned kept = 1;
  for (unsigned i = 1; i < units.count; ++i) {
    units.at[kept] = units.at[i];
    kept += units.at[i] != units.at[kept - 1] ? 1U : 0U;
  }
  units.count = kept;
}

// The same without a table for what most requests are: within one row of the banks, each lane in a slot of its own,
// or equal steps apart.
Wavefronts count(Units<std::uint32_t>& units, const Split& how) {
  if (units.count == 0) return {};
  const std::uint32_t slots = how.slots(), first = units.at[0];
  std::uint32_t used = 0, differ = 0;
  for (unsigned i = 0; i < units.count; ++i) {
    used |= 1U << (units.at[i] & (slots - 1));
    differ |= units.at[i] ^ first;
  }
  const auto used_slots = static_cast<unsigned>(std::popcount(used));
  if (differ < slots || used_slots == units.count) return {1, 1};
  drop_repeated(units);
  if (used_slots == units.count) return {1, 1};

  const std::uint32_t step = units.at[1] - first;  // there are two: one alone would be in a slot of its own
  std::uint32_t uneven = 0;
  for (unsigned i = 1; i < units.count; ++i) uneven |= (units.at[i] - units.at[i - 1]) ^ step;
  if (uneven != 0) return serve(units, how).wavefronts;
  // So many lanes on, the same slot comes again.
  const unsigned period = slots >> std::min(static_cast<unsigned>(std::countr_zero(step)), how.slot_bits);
  return {(units.count + period - 1) / period, (units.count + slots - 1) / slots};
}

}  // namespace

unsigned sectors(const Request& request, Shape shape) {
  if (shape == Shape::row) {
    const std::uint64_t first = request.address[0];
    return static_cast<unsigned>(((first + 32 * std::uint64_t{request.bytes} - 1) >> 5) - (first >> 5)) + 1;
  }
  if (shape == Shape::one) return 1;
  Units<std::uint64_t> units;
  collect(request, 0, 32, 5, units);
  if (units.count == 0) return 0;
  // Where they do not decrease from lane to lane, counting the steps is enough.
  unsigned steps = 0, back = 0;
  for (unsigned i = 1; i < units.count; ++i) {
    steps += units.at[i] != units.at[i - 1] ? 1U : 0U;
    back += units.at[i] < units.at[i - 1] ? 1U : 0U;
  }
  if (back == 0) return steps + 1;
  unsigned different = 0;
  for_each_different(units, [&](std::uint64_t) { ++different; });
  return different;
}

Wavefronts wavefronts(const Request& request, Shape shape) {
  const Split how = split(request.bytes);
  if (shape == Shape::row) return {how.parts(), how.parts()};  // each slot once a part
  if (shape == Shape::one && request.lanes == ~0U && !request.matrices) {
    const unsigned parts = std::max(1U, how.parts() / 2);
    return {parts, parts};
  }
  Wavefronts sum;
  for_each_part(request, how, [&](unsigned first, unsigned lanes) {
    Units<std::uint32_t> units;
    collect(request, first, lanes, how.unit_bits, units);
    const Wavefronts here = count(units, how);
    sum.all += here.all;
    sum.least += here.least;
  });
  return sum;
}

std::array<unsigned, 32> words_per_bank(const Request& request) {
  const Split how = split(request.bytes);
  Served worst;
  for_each_part(request, how, [&](unsigned first, unsigned lanes) {
    Units<std::uint32_t> units;
    collect(request, first, lanes, how.unit_bits, units);
    const Served here = serve(units, how);
    if (here.wavefronts.all > worst.wavefronts.all) worst = here;
  });
  std::array<unsigned, 32> banks = {};
  const unsigned banks_a_slot = 32 / how.slots();
  for (unsigned bank = 0; bank < 32; ++bank) banks[bank] = worst.in_slot[bank / banks_a_slot];
  return banks;
}

}  // namespace cairn::emu
