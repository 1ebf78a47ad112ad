// An array that another library handed over by DLPack, for as long as Cairn looks at it.
#pragma once

#include <cstdint>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "python/native/data.hpp"

namespace cairn_python {

class DlpackView {
 public:
  explicit DlpackView(nanobind::ndarray<nanobind::ro> array) : array_(std::move(array)) {}

  Address address() const { return reinterpret_cast<Address>(array_.data()); }
  nanobind::tuple shape() const;
  nanobind::tuple strides() const;     // in elements
  std::pair<int, int> type() const;    // DLDataTypeCode and bits; lanes make the bits of an element more
  std::pair<int, int> device() const;  // DLDeviceType and its number

 private:
  nanobind::ndarray<nanobind::ro> array_;
};

}  // namespace cairn_python
