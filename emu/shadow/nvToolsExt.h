// Where NVTX 2 had this header; the one of NVTX 3 has all of it.
#pragma once

#include "emu/shadow/nvtx3/nvToolsExt.h"
