// The headers that stand in for NVTX: programs with marks and ranges compile, and their calls do nothing.
#include <gtest/gtest.h>

#include "emu/shadow/nvToolsExt.h"
#include "emu/shadow/nvToolsExtCudaRt.h"

namespace {

TEST(Nvtx, AnswersAsWithoutATool) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xff00ff00;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "product";
  EXPECT_EQ(event.size, 48) << "NVTX 3 has 48 bytes";
  EXPECT_EQ(nvtxRangePushEx(&event), NVTX_NO_PUSH_POP_TRACKING);
  EXPECT_EQ(nvtxRangePush("inner"), NVTX_NO_PUSH_POP_TRACKING);
  EXPECT_EQ(nvtxRangePop(), NVTX_NO_PUSH_POP_TRACKING);
  const nvtxRangeId_t range = nvtxRangeStartA("range");
  EXPECT_EQ(range, 0U);
  nvtxRangeEnd(range);
  nvtxMarkA("here");
  nvtxNameCudaStreamA(nullptr, "stream");
  nvtxDomainDestroy(nvtxDomainCreateA("domain"));
}

}  // namespace
