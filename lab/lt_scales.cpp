#include "lab/lt_scales.hpp"

#include <cstddef>
#include <utility>

namespace cairn::lab {
namespace {

std::int64_t in_blocks(std::int64_t x) { return (x + Problem::kScaleBlock - 1) / Problem::kScaleBlock; }

std::int64_t whole_fours(std::int64_t x) { return (x + 3) / 4 * 4; }

}  // namespace

std::int64_t lt_scale_index(Scale scale, std::int64_t lines, std::int64_t blocks, std::int64_t line,
                            std::int64_t block) {
  return scale == Scale::vector_blocks ? block * lines + line : line * whole_fours(blocks) + block;
}

std::int64_t lt_scale_elements(Scale scale, std::int64_t lines, std::int64_t blocks) {
  return lines * (scale == Scale::vector_blocks ? blocks : whole_fours(blocks));
}

Status LtScales::arrange(const Call& call, Call& arranged) {
  arranged = call;
  const Problem& p = call.problem;
  if (auto s = arrange(p.scale_a, p.m, p.k, arranged.scale_a); !s.ok()) return s;
  return arrange(p.scale_b, p.n, p.k, arranged.scale_b);
}

Status LtScales::arrange(Scale scale, std::int64_t lines, std::int64_t k, const void*& scales) {
  if (scale != Scale::vector_blocks && scale != Scale::blocks) return {};
  if (auto known = copies_.find(scales); known != copies_.end()) {
    scales = known->second.data();
    return {};
  }
  if (scale == Scale::blocks) lines = in_blocks(lines);
  const std::int64_t blocks = in_blocks(k);
  std::vector<float> ours(static_cast<std::size_t>(lines * blocks));
  if (auto s = machine_->copy_out(ours.data(), scales, ours.size() * sizeof(float), nullptr); !s.ok()) return s;
  if (auto s = machine_->synchronize(nullptr); !s.ok()) return s;

  std::vector<float> theirs(static_cast<std::size_t>(lt_scale_elements(scale, lines, blocks)));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t block = 0; block < blocks; ++block)
      theirs[static_cast<std::size_t>(lt_scale_index(scale, lines, blocks, line, block))] =
          ours[static_cast<std::size_t>(line * blocks + block)];
  }

  runtime::Buffer copy;
  const std::size_t bytes = theirs.size() * sizeof(float);
  if (auto s = runtime::Buffer::make(machine_, bytes, copy); !s.ok()) return s;
  if (auto s = machine_->copy_in(copy.data(), theirs.data(), bytes, nullptr); !s.ok()) return s;
  if (auto s = machine_->synchronize(nullptr); !s.ok()) return s;
  const void* const ours_at = scales;
  scales = copy.data();
  copies_.emplace(ours_at, std::move(copy));
  return {};
}

}  // namespace cairn::lab
