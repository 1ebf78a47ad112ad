#include "python/native/dlpack_view.hpp"

namespace cairn_python {
namespace nb = nanobind;

nb::tuple DlpackView::shape() const {
  nb::list sizes;
  for (std::size_t i = 0; i < array_.ndim(); ++i) sizes.append(array_.shape(i));
  return nb::tuple(sizes);
}

nb::tuple DlpackView::strides() const {
  nb::list steps;
  for (std::size_t i = 0; i < array_.ndim(); ++i) steps.append(array_.stride(i));
  return nb::tuple(steps);
}

std::pair<int, int> DlpackView::type() const {
  const nb::dlpack::dtype type = array_.dtype();
  return {type.code, type.bits * type.lanes};
}

std::pair<int, int> DlpackView::device() const { return {array_.device_type(), array_.device_id()}; }

}  // namespace cairn_python
