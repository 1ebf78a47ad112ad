// Stands in for CUDA's header of this name, which many programs include for its version and the driver's handles alone. The
// driver API itself is not emulated but for tensor maps: its functions are unknown names.
#pragma once

#include "emu/shadow/emu_tensor_map.h"

#define CUDA_VERSION 12080
#define __cuda_cuda_h__  // the guard of CUDA's own, as in emu_toolkit.h

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
