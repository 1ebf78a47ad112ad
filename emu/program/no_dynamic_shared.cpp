// Dynamic shared memory for a file that declares none, since `--shared` may still ask for some.
#include <memory>

#include "emu/machine/launch.hpp"
#include "emu/machine/shared_memory.hpp"

extern "C" void* cairn_emu_dynamic_shared(void) {
  struct alignas(1024) Block {
    unsigned char bytes[cairn::emu::kMostShared];
  };
  thread_local const std::unique_ptr<Block> block(new Block);
  return block->bytes;
}
