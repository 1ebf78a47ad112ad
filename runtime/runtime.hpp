// One small interface over memory, streams, events, graphs and device facts, so that the library and the laboratory
// run unchanged on the CPU, a CUDA GPU and the emulated GPU. They use this and never the CUDA runtime itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/types.hpp"

namespace cairn::runtime {

enum class Kind : std::uint8_t { cpu, gpu, emu };

// The properties of a device. A field that is unknown or does not apply is 0.
struct Facts {
  Kind kind = Kind::cpu;
  int device = -1;   // as a Handle counts: -1 the CPU, -2 the emulated GPU, 0… GPUs
  std::string name;  // "NVIDIA H200", "Neoverse-N1"
  int units = 0;     // SMs of a GPU, hardware threads of a CPU
  int arch = 0;      // 90 for sm_90
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;  // L2 of a GPU, last level of a CPU
  int shared_bytes = 0;          // most shared memory a block may use
  int clock_mhz = 0;             // the maximum
  double memory_rate = 0;        // bytes per second, from the memory's clock and bus width
  std::string software;          // driver and runtime versions, or the BLAS behind the CPU
};

// One reading of a device's sensors. A field that it does not report is 0.
struct Vitals {
  double sm_mhz = 0;
  double power_w = 0;
  double temperature_c = 0;
  std::vector<std::string> throttled;  // reasons why the clock is reduced: "power cap", "thermal"
};

// A kernel launch and the resources it takes.
struct KernelFacts {
  std::string name;      // mangled
  int registers = 0;     // per thread
  int local_bytes = 0;   // per thread: spills and stack
  int shared_bytes = 0;  // per block, static and dynamic
  int threads = 0;       // per block
  std::int64_t blocks = 0;
  int blocks_an_sm = 0;  // occupancy, in blocks
};

// Only the machine that made them can use them. The null stream always exists.
using Stream = void*;
using Event = void*;
using Graph = void*;  // an instantiated graph, which can be launched any number of times

class Machine {
 public:
  virtual ~Machine() = default;
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  virtual const Facts& facts() const = 0;

  // A reading of the device's sensors; all 0 where it has none. Takes nearly a millisecond.
  virtual Vitals vitals() { return {}; }

  // Makes this device the calling thread's current one and returns the previous one: see Here.
  virtual int enter() { return kStay; }
  virtual void leave(int before) { (void)before; }
  static constexpr int kStay = -1;
  template <class F> auto run_here(F&& work);  // within a Here

  // Memory of the device, aligned to 256 bytes. Zero bytes give a null pointer.
  virtual Status allocate(std::size_t bytes, void*& out) = 0;
  virtual void free(void* pointer) = 0;
  // Host to device, device to host, and a byte repeated; in stream order.
  virtual Status copy_in(void* device, const void* host, std::size_t bytes, Stream stream) = 0;
  virtual Status copy_out(void* host, const void* device, std::size_t bytes, Stream stream) = 0;
  virtual Status fill(void* device, unsigned char value, std::size_t bytes, Stream stream) = 0;

  virtual Status create_stream(Stream& out) = 0;
  virtual void destroy_stream(Stream stream) = 0;
  virtual Status synchronize(Stream stream) = 0;

  virtual Status create_event(Event& out) = 0;
  virtual void destroy_event(Event event) = 0;
  virtual Status record(Event event, Stream stream) = 0;
  // Milliseconds between two recorded events; waits for the second. A record() during a capture becomes a node of
  // the graph and records the event at every launch.
  virtual Status elapsed(Event from, Event to, double& milliseconds) = 0;

  // Stream capture: between begin and end, work enqueued on the stream is added to a graph instead of run. Machines
  // that work synchronously return unsupported.
  virtual Status begin_capture(Stream stream) = 0;
  virtual Status end_capture(Stream stream, Graph& out) = 0;
  virtual Status launch(Graph graph, Stream stream) = 0;
  virtual void destroy_graph(Graph graph) = 0;

  // The kernels that `work` would launch on the stream it is given, in order; none of them is run. Machines other
  // than CUDA GPUs return unsupported.
  virtual Status kernels(const std::function<Status(Stream)>& work, std::vector<KernelFacts>& out) {
    (void)work;
    out.clear();
    return {Code::unsupported, "the resources of kernels are known on a CUDA GPU only"};
  }

  // cudaProfilerStart and cudaProfilerStop: a profiler that was started with profiling off sees only the launches
  // between the two. Without a profiler they do nothing.
  virtual Status profile_begin() { return {}; }
  virtual Status profile_end() { return {}; }
};

// Makes a device the calling thread's current one for the lifetime of this object. Kernels are launched within one;
// the functions of Machine do it themselves.
class Here {
 public:
  explicit Here(Machine& machine) : machine_(machine), before_(machine.enter()) {}
  ~Here() {
    if (before_ != Machine::kStay) machine_.leave(before_);
  }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  Machine& machine_;
  int before_;
};

template <class F> auto Machine::run_here(F&& work) {
  const Here here(*this);
  return work();
}

// The facts of every device: the CPU, the emulated GPU if this build has it, then the GPUs.
std::vector<Facts> devices();

// Opens a device; the message of a failure says what this build or machine lacks.
Status open(int device, std::shared_ptr<Machine>& out);

// Device memory that frees itself.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  static Status make(std::shared_ptr<Machine> machine, std::size_t bytes, Buffer& out);
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) noexcept;
  void reset() noexcept;

  std::shared_ptr<Machine> machine_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace cairn::runtime
