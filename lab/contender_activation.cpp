#include "lab/contender_activation.hpp"

#include <utility>

#include "lab/exit.hpp"
#include "lab/verify/limits.hpp"

namespace cairn::lab {
namespace {

// What the first kernel computes: all but the activation.
Problem without_activation(const Problem& p) {
  Problem product = p;
  product.activation = Activation::none;
  return product;
}

// What the second one does: it reads C, and neither A nor B, whatever k is.
Problem activation_alone(const Problem& p) {
  Problem alone = p;
  alone.bias = Bias::none;
  alone.scale_a = alone.scale_b = Scale::none;
  return alone;
}

}  // namespace

ThenActivation::ThenActivation(std::string id, std::unique_ptr<Contender> product, Find activate)
    : id_(std::move(id)),
      title_(std::string(product->title()) + ", and a kernel for the activation"),
      product_(std::move(product)),
      find_(std::move(activate)) {}

Contender* ThenActivation::activate() const {
  try {
    if (activate_ == nullptr && missing_.empty()) activate_ = find_();
  } catch (const Error& error) {
    missing_ = error.what();
  }
  return activate_.get();
}

std::string ThenActivation::refuses(const Problem& p) const {
  if (p.activation != Activation::gelu && p.activation != Activation::silu)
    return "it is for the activations that cuBLASLt does not have, GELU and SiLU";
  if (p.before == Before::stored) return "it stores no values before an activation";
  if (p.batch != 1) return "it takes one product";
  if (std::string why = product_->refuses(without_activation(p)); !why.empty()) return why;
  return activate() == nullptr ? missing_ : activate()->refuses(activation_alone(p));
}

std::string ThenActivation::refuses_scalars(const Problem& p, const Scalars& scalars) const {
  return product_->refuses_scalars(without_activation(p), scalars);
}

// The argument is rounded to C's type, and none of the functions is steeper than 1.13.
double ThenActivation::activation_error(const Problem& p) const { return 1.13 * verify::limits(p.out).unit; }

Status ThenActivation::prepare(const Problem& p) {
  if (auto s = product_->prepare(without_activation(p)); !s.ok()) return s;
  return activate()->prepare(activation_alone(p));
}

Status ThenActivation::run(const Call& call, runtime::Stream stream) {
  Call product = call;
  product.problem = without_activation(call.problem);
  if (auto s = product_->run(product, stream); !s.ok()) return s;
  Call alone;
  alone.problem = activation_alone(call.problem);
  alone.alpha = 0, alone.beta = 1, alone.C = call.C;
  return activate_->run(alone, stream);
}

std::string ThenActivation::details() const { return product_->details() + ", then " + activate_->details(); }

}  // namespace cairn::lab
