// The names behind cuBLASLt's numbers: "128x256" for tile 23. The table is made from cublasLt.h when the build is
// configured (cmake/cublas_names.cmake), since it has hundreds of rows and grows with every release. Empty for a
// number that the header does not have.
#pragma once

#include <cstdint>
#include <string_view>

namespace cairn::lab {

std::string_view cublas_tile(std::int64_t id);
std::string_view cublas_stages(std::int64_t id);   // "64x4": four stages, 64 deep
std::string_view cublas_cluster(std::int64_t id);  // "2x1x1"

}  // namespace cairn::lab
