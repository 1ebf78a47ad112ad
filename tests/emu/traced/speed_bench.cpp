// Not a test: prints how fast the traced emulator is, in accesses of single threads a second.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "emu/trace.hpp"
#include "kernels/ladder.hpp"

namespace {

using namespace cairn;

void measure(const Rung& rung, int size, bool detectors, int threads) {
  const emu::TracedEntry& traced = *cairn_emu_traced();
  traced.emulator.configure({.seed = 1, .threads = threads});
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, size, size, size);
  const std::size_t bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * sizeof(float);
  const std::vector<float> ones(bytes / sizeof(float), 1.0F);
  void* matrices[3] = {};
  for (void*& matrix : matrices) {
    if (!traced.emulator.allocate(bytes, &matrix).ok()) return;
    (void)traced.emulator.copy_in(matrix, ones.data(), bytes);
  }
  traced.begin({.detectors = detectors});
  const auto begin = std::chrono::steady_clock::now();
  (void)rung.launch({p, 1, matrices[0], matrices[1], 0, matrices[2]}, 0, nullptr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  emu::Trace trace;
  traced.take(trace);
  const emu::Counters& c = trace.kernels.at(0).counters;
  const auto accesses =
      static_cast<double>(c.global_load_bytes + c.global_store_bytes + c.shared_load_bytes + c.shared_store_bytes) /
      sizeof(float);
  std::printf(
      "%-22s %d cubed, detectors %-3s, %d threads: %6.1f million accesses, %6.3f s, %6.1f million/s, %zu findings\n",
      std::string(rung.id).c_str(), size, detectors ? "on" : "off", threads, accesses / 1e6, seconds,
      accesses / seconds / 1e6, trace.findings.size());
  for (void* matrix : matrices) (void)traced.emulator.free(matrix);
}

}  // namespace

int main() {
  std::size_t count = 0;
  const auto* ladder = static_cast<const Rung* const*>(cairn_emu_traced()->emulator.ladder(&count));
  for (std::size_t i = 0; i < count; ++i) {
    if (ladder[i]->kind != RungKind::gemm) continue;
    for (const bool detectors : {true, false}) measure(*ladder[i], 256, detectors, 1);
    measure(*ladder[i], 256, true, 2);
  }
}
