// The laboratory's interface to cuBLAS, without its headers, which only baseline_cublas.cpp includes. The library is
// loaded at first use: loading its hundreds of megabytes takes longer than most commands run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/runtime.hpp"
#include "src/call.hpp"

namespace cairn::lab {

// One of cuBLASLt's algorithms, configured for a problem.
struct LtAlgorithm {
  std::array<std::uint64_t, 8> opaque{};  // a cublasLtMatmulAlgo_t
  std::size_t workspace_bytes = 0;
};

// What can be read off an algorithm; the numbers are cuBLASLt's, and lab/cublas_names.hpp has names for some.
struct LtAttributes {
  std::int64_t id = -1, tile = 0, stages = 0, split_k = 1, reduction = 0, swizzle = 0, custom = 0, inner_shape = 0,
               cluster = 0;
};

// The alignment of the matrices in bytes, up to the largest that makes a difference.
struct Alignment {
  std::uint32_t A = 256, B = 256, C = 256;
  bool operator==(const Alignment&) const = default;
};
Alignment alignment_of(const Call& call);

// The execution units that an algorithm may use.
enum class Pipes : std::uint8_t { all, fma };  // fma: no tensor cores

// A problem as cuBLASLt's descriptors; opaque outside of baseline_cublas.cpp.
struct LtDescription {
  explicit LtDescription(const Problem& p) : problem(p) {}
  virtual ~LtDescription() = default;
  LtDescription(const LtDescription&) = delete;
  LtDescription& operator=(const LtDescription&) = delete;
  Problem problem;
};

// An open cuBLAS on one machine: its two handles and the workspace that they share, so that only one stream at a time
// may use it.
class Cublas {
 public:
  virtual ~Cublas() = default;
  Cublas() = default;
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  virtual std::string version() const = 0;  // "13.1.0"

  // Both enqueue a product and neither allocates nor synchronizes, so that they can be captured in a graph.
  virtual Status gemm_ex(const Call& call, runtime::Stream stream) = 0;
  virtual Status matmul(const LtDescription& description, const LtAlgorithm& algorithm, const Call& call,
                        runtime::Stream stream) = 0;

  virtual Status describe(const Problem& problem, std::shared_ptr<const LtDescription>& out) = 0;
  // At most `most`, what cuBLASLt thinks best first; unsupported if there is none.
  virtual Status heuristics(const LtDescription& description, Alignment alignment, Pipes pipes, int most,
                            std::vector<LtAlgorithm>& out) = 0;
  // Does this algorithm run this problem on this device? Fills in the workspace it needs.
  virtual Status check(const LtDescription& description, LtAlgorithm& algorithm) = 0;
  virtual LtAttributes attributes(const LtAlgorithm& algorithm) const = 0;
};

bool built_with_cublas();
// Why there is no cuBLAS: not in this build, or not found; empty once it is loaded, which this tries.
std::string no_cublas();
// "13.1.0" of the library that was loaded; empty if none was.
std::string cublas_version();
Status open_cublas(const std::shared_ptr<runtime::Machine>& machine, std::unique_ptr<Cublas>& out);

}  // namespace cairn::lab
