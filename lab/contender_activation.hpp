// A product by another contender, and then its activation by a kernel: what a program does with a library that has no
// such activation. The product is rounded to C's type in between.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/contender.hpp"

namespace cairn::lab {

class ThenActivation final : public Contender {
 public:
  // `product` may fuse the bias. `activate` finds lab/activate (experiments/kernels/activate.cu), or throws an Error; it
  // is not called before a problem needs it.
  using Find = std::function<std::unique_ptr<Contender>()>;
  ThenActivation(std::string id, std::unique_ptr<Contender> product, Find activate);

  std::string_view id() const override { return id_; }
  std::string_view title() const override { return title_; }
  bool is_baseline() const override { return product_->is_baseline(); }
  Grid grid() const override { return product_->grid(); }
  // It takes the activations that would otherwise have no baseline, so as not to be slower than it must.
  std::string refuses(const Problem& problem) const override;
  std::string refuses_scalars(const Problem& problem, const Scalars& scalars) const override;
  double activation_error(const Problem& problem) const override;
  Status prepare(const Problem& problem) override;
  Status run(const Call& call, runtime::Stream stream) override;
  std::string details() const override;
  const std::shared_ptr<runtime::Machine>& machine() const override { return product_->machine(); }

 private:
  Contender* activate() const;  // null: `missing_` says why

  std::string id_, title_;
  std::unique_ptr<Contender> product_;
  Find find_;
  mutable std::unique_ptr<Contender> activate_;
  mutable std::string missing_;
};

}  // namespace cairn::lab
