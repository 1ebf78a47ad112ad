// Warp-wide tensor-core instructions: mma, ldmatrix, stmatrix, and the checks of wmma tiles.
#include <cstring>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/builtins.hpp"
#include "emu/machine/settings.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

namespace {

struct MmaArguments : LaneArguments {
  const Multiply* what;
  LaneTiles tiles;
};

void multiply_all(Block& block, const std::array<LaneArguments*, kWarp>& arguments) {
  const Multiply& what = *static_cast<const MmaArguments*>(arguments[0])->what;
  if (trace_hooks != nullptr) trace_hooks->mma_executed(what, block.self().site);
  std::array<LaneTiles, kWarp> lanes;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    lanes[lane] = static_cast<const MmaArguments*>(arguments[lane])->tiles;
  multiply_tiles(what, lanes, faithful_tensor());
}

void check_row(Block& block, const void* row) {
  const bool misaligned = reinterpret_cast<std::uintptr_t>(row) % 16 != 0;
  if (misaligned || !is_shared(row)) [[unlikely]]
    block.fail(describe_bad_row(block.self(), misaligned));
}

struct LdmatrixArguments : LaneArguments {
  const void* row;
  std::uint32_t* to;
  unsigned count;
  bool transposed;
};

void load_all(Block&, const std::array<LaneArguments*, kWarp>& arguments) {
  const auto of = [&](unsigned lane) { return static_cast<const LdmatrixArguments*>(arguments[lane]); };
  for (unsigned matrix = 0; matrix < of(0)->count; ++matrix) {
    std::array<std::array<std::uint16_t, 8>, 8> words;
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(words[row].data(), of(8 * matrix + row)->row, sizeof words[row]);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const unsigned row = lane / 4, col = lane % 4 * 2;
      const bool transposed = of(0)->transposed;
      const std::uint32_t low = transposed ? words[col][row] : words[row][col];
      const std::uint32_t high = transposed ? words[col + 1][row] : words[row][col + 1];
      of(lane)->to[matrix] = low | high << 16;
    }
  }
}

struct StmatrixArguments : LaneArguments {
  const std::uint32_t* from;
  unsigned count;
  bool transposed;
  std::array<std::uint16_t, 8> row;  // that the lane will store
};

void spread_all(Block&, const std::array<LaneArguments*, kWarp>& arguments) {
  const auto of = [&](unsigned lane) { return static_cast<StmatrixArguments*>(arguments[lane]); };
  for (unsigned matrix = 0; matrix < of(0)->count; ++matrix) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const std::uint32_t word = of(lane)->from[matrix];
      const unsigned row = lane / 4, col = lane % 4 * 2;
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned to = of(0)->transposed ? col + i : row, at = of(0)->transposed ? row : col + i;
        of(8 * matrix + to)->row[at] = static_cast<std::uint16_t>(word >> 16 * i);
      }
    }
  }
}

struct WmmaTileArguments : LaneArguments {
  const void* tile;
  unsigned ld;
};

void compare_all(Block& block, const std::array<LaneArguments*, kWarp>& arguments) {
  const auto* first = static_cast<const WmmaTileArguments*>(arguments[0]);
  for (unsigned lane = 1; lane < kWarp; ++lane) {
    const auto* other = static_cast<const WmmaTileArguments*>(arguments[lane]);
    if (other->tile == first->tile && other->ld == first->ld) continue;
    const Thread* warp = &block.threads()[block.self().linear / kWarp * kWarp];
    block.fail(describe_other_tile(warp[lane], warp[0]));
  }
}

}  // namespace

void warp_mma(const Multiply& what, const char* call, const LaneTiles& mine, Site site) {
  const BuiltinCall block(call, site);
  MmaArguments arguments{{&multiply_all}, &what, mine};
  block->warp_wide(arguments);
}

bool is_in_shared(const void* address) { return is_shared(address); }

void warp_ldmatrix(std::uint32_t* to, const void* row, int count, bool transposed, const char* call, Site site) {
  const BuiltinCall block(call, site);
  if (static_cast<int>(block->self().lane()) < 8 * count) {
    check_row(*block, row);
    if (trace_hooks != nullptr) trace_hooks->matrix_row(row, false, site);
  }
  LdmatrixArguments arguments{{&load_all}, row, to, static_cast<unsigned>(count), transposed};
  block->warp_wide(arguments);
}

// Lanes store their rows after they have synchronized, so that the call orders no memory access, as on a GPU.
void warp_stmatrix(void* row, const std::uint32_t* from, int count, bool transposed, const char* call, Site site) {
  const BuiltinCall block(call, site);
  const bool stores = static_cast<int>(block->self().lane()) < 8 * count;
  if (stores) check_row(*block, row);
  StmatrixArguments arguments{{&spread_all}, from, static_cast<unsigned>(count), transposed, {}};
  block->warp_wide(arguments);
  if (!stores) return;
  if (trace_hooks != nullptr) trace_hooks->matrix_row(row, true, site);
  std::memcpy(row, arguments.row.data(), sizeof arguments.row);
}

void check_tile(const char* call, const void* tile, unsigned ld, unsigned element_bytes, Site site) {
  const BuiltinCall block(call, site);
  if (reinterpret_cast<std::uintptr_t>(tile) % 32 != 0 || ld * element_bytes % 16 != 0) [[unlikely]]
    block->fail(describe_bad_tile(block->self(), ld, element_bytes));
}

void check_same_tile(const char* call, const void* tile, unsigned ld, Site site) {
  const BuiltinCall block(call, site);
  WmmaTileArguments arguments{{&compare_all}, tile, ld};
  block->warp_wide(arguments);
}

}  // namespace cairn::emu
