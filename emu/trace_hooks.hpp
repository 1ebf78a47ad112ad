// Where a build that traces listens to the emulator. In the plain build nobody does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/kernel_side.hpp"

namespace cairn::emu {

class Block;
struct AsyncCopy;
struct Launch;

struct TraceHooks {
  void (*launch_begins)(const Launch& launch);
  void (*launch_ends)(const Launch& launch, const char* failure);  // null: it went well
  // Around the run of a block, on the OS thread that runs it.
  void (*block_begins)(Block& block);
  void (*block_ends)(Block& block);
  // The calling thread is at a fence.
  void (*fence)(Block& block);
  // The calling thread comes to a barrier and does not wait.
  void (*arrives)(Block& block, unsigned barrier);
  // All who were to come to a barrier have; of these warps (a bit each) threads wait, and none has gone on yet.
  void (*warps_meet)(Block& block, unsigned barrier, std::uint32_t waiting, const Site& site);
  // Lanes of a warp have met in a collective, none has gone on.
  void (*lanes_meet)(Block& block, unsigned warp, std::uint32_t lanes);
  // The calling thread is about to alter memory in one step.
  void (*atomic)(const void* address, std::size_t bytes, const char* call, const Site& site);
  // Device memory came, went, or was written from the host.
  void (*allocated)(const void* start, std::size_t bytes);
  void (*released)(const void* start);
  void (*written)(const void* start, std::size_t bytes);
  // The calling thread is about to issue an asynchronous copy; one of its copies has landed.
  void (*copy_issued)(const AsyncCopy& copy);
  void (*copy_landed)(const AsyncCopy& copy);
  // The calling thread gives ldmatrix the address of a row of 16 bytes; it meets the other lanes next.
  void (*matrix_row)(const void* row, const Site& site);
  // A warp, the calling thread's, has multiplied tiles.
  void (*multiplied)(const Multiply& what, const Site& site);
};

extern const TraceHooks* trace_hooks;  // null in the plain build

}  // namespace cairn::emu
