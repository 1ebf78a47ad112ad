#include "lab/invocation.hpp"

#include <gtest/gtest.h>

namespace cairn::lab {
namespace {

TEST(Invocation, CanBeTypedAgainAndSaysNothingOfWhereResultsWent) {
  const char* arguments[] = {"/some/where/cairn", "bench",   "simt/*",  "--record",
                             "/tmp/x.json",       "--shape", "4096",    "--out",
                             "--force",           "--force", "--out=y", "it's"};
  set_invocation(static_cast<int>(std::size(arguments)), arguments);
  EXPECT_EQ(invocation(), R"(cairn bench 'simt/*' --shape 4096 'it'\''s')");
}

}  // namespace
}  // namespace cairn::lab
