// The names of counters and faults of emu/trace.hpp. Apart from the tracer, so that the laboratory can use them, too.
#include "emu/trace.hpp"

namespace cairn::emu {

std::vector<CounterName> counter_names() {
  using C = Counters;
  return {{"global_load_requests", &C::global_load_requests},
          {"global_load_sectors", &C::global_load_sectors},
          {"global_load_bytes", &C::global_load_bytes},
          {"global_store_requests", &C::global_store_requests},
          {"global_store_sectors", &C::global_store_sectors},
          {"global_store_bytes", &C::global_store_bytes},
          {"shared_load_requests", &C::shared_load_requests},
          {"shared_load_wavefronts", &C::shared_load_wavefronts},
          {"shared_load_bank_conflicts", &C::shared_load_bank_conflicts},
          {"shared_load_bytes", &C::shared_load_bytes},
          {"merged_shared_load_requests", &C::merged_shared_load_requests},
          {"merged_shared_load_wavefronts", &C::merged_shared_load_wavefronts},
          {"merged_shared_load_bank_conflicts", &C::merged_shared_load_bank_conflicts},
          {"shared_store_requests", &C::shared_store_requests},
          {"shared_store_wavefronts", &C::shared_store_wavefronts},
          {"shared_store_bank_conflicts", &C::shared_store_bank_conflicts},
          {"shared_store_bytes", &C::shared_store_bytes},
          {"barriers", &C::barriers},
          {"atomics", &C::atomics},
          {"async_copy_requests", &C::async_copy_requests},
          {"async_copy_sectors", &C::async_copy_sectors},
          {"tma_load_requests", &C::tma_load_requests},
          {"tma_load_sectors", &C::tma_load_sectors},
          {"tma_load_bytes", &C::tma_load_bytes},
          {"tma_store_requests", &C::tma_store_requests},
          {"tma_store_sectors", &C::tma_store_sectors},
          {"tma_store_bytes", &C::tma_store_bytes},
          {"mma_instructions", &C::mma_instructions},
          {"mma_flops", &C::mma_flops}};
}

Counters& Counters::operator+=(const Counters& other) {
  for (const CounterName& one : counter_names()) this->*one.value += other.*one.value;
  return *this;
}

const char* name(Fault fault) {
  switch (fault) {
    case Fault::race: return "race";
    case Fault::out_of_bounds: return "out-of-bounds";
    case Fault::misaligned: return "misaligned";
    case Fault::register_array: return "array-index";
    case Fault::uninitialized: return "uninitialized";
    case Fault::barrier: return "barrier";
    case Fault::absent_lane: return "absent-lane";
    case Fault::late_use: return "late-use";
    case Fault::unwritten: return "unwritten";
    case Fault::failed: break;
  }
  return "failed";
}

}  // namespace cairn::emu
