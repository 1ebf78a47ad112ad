#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cairn/cairn.hpp"
#include "lab/record/commit.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::record {
namespace {

#ifdef CAIRN_HAVE_OPENBLAS
constexpr bool kOpenblas = true;
#else
constexpr bool kOpenblas = false;
#endif
#ifdef CAIRN_HAVE_CUDA
constexpr bool kCuda = true;
#else
constexpr bool kCuda = false;
#endif
#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // "Clang 14.0.6 …"
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

}  // namespace

Build this_build() {
  return {.version = version(),
          .commit = commit(),
          .type = CAIRN_BUILD_TYPE,
          .compiler = kCompiler,
          .cuda = kCuda,
          .openblas = kOpenblas};
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace cairn::lab::record
