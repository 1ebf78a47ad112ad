#include "lab/measure/ring.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/exit.hpp"
#include "lab/measure/inputs.hpp"

namespace cairn::lab::measure {

using runtime::Buffer;

std::int64_t extent(const Stored& matrix, std::int64_t batch, std::int64_t stride) {
  return matrix.span() == 0 || batch == 0 ? 0 : (batch - 1) * stride + matrix.span();
}

std::int64_t sets_needed(double bytes_a_set, std::int64_t cache_bytes) {
  if (bytes_a_set <= 0) return 1;
  constexpr std::int64_t kLarge = 64 << 20;
  const double others = std::ceil(2 * static_cast<double>(cache_bytes > 0 ? cache_bytes : kLarge) / bytes_a_set);
  return 1 + static_cast<std::int64_t>(std::min(others, static_cast<double>(kMostSets - 1)));
}

Ring::Ring(std::shared_ptr<runtime::Machine> machine, const Problem& problem, std::uint64_t seed, Cache cache,
           Work work, const Scalars& scalars)
    : machine_(std::move(machine)), problem_(problem), scalars_(scalars) {
  const Problem& p = problem;
  host_a_ = uniform(p.in, extent(p.a(), p.batch, p.stride_a), 3 * seed);
  host_b_ = uniform(p.in, extent(p.b(), p.count_b(), p.stride_b), 3 * seed + 1);
  const std::int64_t of_c = extent(p.c(), p.batch, p.stride_c);
  if (scalars.beta != 0) host_c_ = uniform(p.out, of_c, 3 * seed + 2);
  const auto c_bytes = static_cast<std::size_t>(of_c * size_of(p.out));
  const std::size_t before_bytes = p.before == Before::stored ? c_bytes : 0;
  if (p.bias != Bias::none)
    host_bias_ = uniform(p.bias_type, (p.count_bias() - 1) * p.stride_bias + p.bias_elements(), 3 * seed + 3);
  const auto scales = [&](std::int64_t elements, std::int64_t count, std::int64_t stride, std::uint64_t own_seed) {
    return elements == 0 ? std::vector<std::byte>()
                         : uniform(accumulator(p.in), (count - 1) * stride + elements, own_seed);
  };
  host_scale_a_ = scales(p.scale_a_elements(), p.batch, p.stride_scale_a, 3 * seed + 4);
  host_scale_b_ = scales(p.scale_b_elements(), p.count_b(), p.stride_scale_b, 3 * seed + 5);
  if (p.is_grouped()) host_ends_ = drawn_ends(p.m, p.groups, 3 * seed + 6);
  const double set_bytes =
      static_cast<double>(host_a_.size() + (work == Work::move ? 0 : host_b_.size()) + c_bytes + before_bytes);
  const std::int64_t count = cache == Cache::hot ? 1 : sets_needed(set_bytes, machine_->facts().cache_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    Set set;
    expect(Buffer::make(machine_, c_bytes, set.C));
    expect(Buffer::make(machine_, before_bytes, set.before));
    const std::pair<Buffer*, const std::vector<std::byte>*> read[] = {{&set.A, &host_a_},
                                                                      {&set.B, &host_b_},
                                                                      {&set.bias, &host_bias_},
                                                                      {&set.scale_a, &host_scale_a_},
                                                                      {&set.scale_b, &host_scale_b_}};
    for (const auto& [buffer, host] : read) {
      expect(Buffer::make(machine_, host->size(), *buffer));
      expect(machine_->copy_in(buffer->data(), host->data(), host->size(), nullptr));
    }
    sets_.push_back(std::move(set));
  }
  expect(Buffer::make(machine_, host_ends_.size(), ends_));
  expect(machine_->copy_in(ends_.data(), host_ends_.data(), host_ends_.size(), nullptr));
  reset();
}

Call Ring::call(std::int64_t i) const {
  const Set& set = sets_[static_cast<std::size_t>(i % sets())];
  Call call{problem_, scalars_.alpha, set.A.data(), set.B.data(), scalars_.beta, set.C.data()};
  call.bias = set.bias.data(), call.before = set.before.data();
  call.scale_a = set.scale_a.data(), call.scale_b = set.scale_b.data();
  call.ends = static_cast<const std::int32_t*>(ends_.data());
  return call;
}

void Ring::reset() {
  for (Set& set : sets_) {
    expect(host_c_.empty() ? machine_->fill(set.C.data(), 0xff, set.C.bytes(), nullptr)
                           : machine_->copy_in(set.C.data(), host_c_.data(), host_c_.size(), nullptr));
  }
  expect(machine_->synchronize(nullptr));
}

std::vector<std::byte> Ring::read_c(std::int64_t i) const {
  const Buffer& C = sets_[static_cast<std::size_t>(i % sets())].C;
  std::vector<std::byte> host(C.bytes());
  expect(machine_->copy_out(host.data(), C.data(), host.size(), nullptr));
  expect(machine_->synchronize(nullptr));
  return host;
}

}  // namespace cairn::lab::measure
