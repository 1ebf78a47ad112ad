// Not a test: prints how fast the traced emulator is, in accesses of single threads a second.
//
//   traced_speed_bench [RUNG]...      all rungs of the ladder that multiply, or these
//
// One core is measured by the processor time used, which other programs on the machine disturb less than the clock;
// all cores by the clock. The best of several runs counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "emu/trace.hpp"
#include "kernels/ladder.hpp"

namespace {

using namespace cairn;

constexpr int kSize = 256, kRuns = 5;

struct Speed {
  double accesses = 0, seconds = 0;  // 4-byte words; on one core processor time
  std::size_t findings = 0;
};

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Speed run_once(const Rung& rung, bool detectors, int threads) {
  const emu::TracedEntry& traced = *cairn_emu_traced();
  traced.emulator.configure({.seed = 1, .threads = threads});
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, kSize, kSize, kSize);
  const std::size_t bytes = std::size_t{kSize} * kSize * sizeof(float);
  const std::vector<float> ones(bytes / sizeof(float), 1.0F);
  void* matrices[3] = {};
  for (void*& matrix : matrices) {
    if (!traced.emulator.allocate(bytes, &matrix).ok()) return {};
    (void)traced.emulator.copy_in(matrix, ones.data(), bytes);
  }
  traced.begin({.detectors = detectors});
  const auto now = threads == 1 ? &processor_seconds : &clock_seconds;
  const double begin = now();
  (void)rung.launch({p, 1, matrices[0], matrices[1], 0, matrices[2]}, 0, nullptr);
  Speed speed;
  speed.seconds = now() - begin;
  emu::Trace trace;
  traced.take(trace);
  const emu::Counters& c = trace.kernels.at(0).counters;
  speed.accesses =
      static_cast<double>(c.global_load_bytes + c.global_store_bytes + c.shared_load_bytes + c.shared_store_bytes) /
      sizeof(float);
  speed.findings = trace.findings.size();
  for (void* matrix : matrices) (void)traced.emulator.free(matrix);
  return speed;
}

double millions(const Rung& rung, bool detectors, int threads, std::size_t& findings) {
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Speed speed = run_once(rung, detectors, threads);
    best = std::max(best, speed.accesses / speed.seconds / 1e6);
    findings += speed.findings;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::printf("million words accessed a second, %d cubed, best of %d runs\n", kSize, kRuns);
  std::printf("%-22s %20s %20s %15s, %d cores\n", "", "detectors off, 1 core", "detectors on, 1 core", "detectors on",
              cores);
  std::size_t count = 0, findings = 0;
  const auto* ladder = static_cast<const Rung* const*>(cairn_emu_traced()->emulator.ladder(&count));
  for (std::size_t i = 0; i < count; ++i) {
    const Rung& rung = *ladder[i];
    const bool all = wanted.empty() && rung.kind == RungKind::gemm;
    if (!all && std::ranges::find(wanted, std::string(rung.id)) == wanted.end()) continue;
    const double off = millions(rung, false, 1, findings), on = millions(rung, true, 1, findings);
    const double both = millions(rung, true, cores, findings);
    std::printf("%-22s %21.1f %20.1f %15.1f\n", std::string(rung.id).c_str(), off, on, both);
  }
  std::printf("%zu findings\n", findings);
}
