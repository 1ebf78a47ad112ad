// The machines: one small interface over memory, streams, events and device facts, so that everything above
// runs unchanged on the CPU and on a GPU. Nobody above this room speaks to CUDA itself.
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

// What a device is, as far as it says. A field that does not apply is 0.
struct Facts {
  Kind kind = Kind::cpu;
  int device = -1;   // as a Handle counts: -1 the CPU, -2 the emulated GPU, 0… GPUs
  std::string name;  // "NVIDIA H200", "Neoverse-N1"
  int units = 0;     // SMs of a GPU, hardware threads of a CPU
  int arch = 0;      // 90 for sm_90
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;  // L2 of a GPU, last level of a CPU
  int shared_bytes = 0;          // most shared memory a block may use
  int clock_mhz = 0;             // the highest
  double memory_rate = 0;        // bytes a second, from the memory's clock and width
  std::string software;          // driver and runtime versions, or the BLAS behind the CPU
};

// How a device feels at a moment. A field it does not tell is 0.
struct Vitals {
  double sm_mhz = 0;
  double power_w = 0;
  double temperature_c = 0;
  std::vector<std::string> throttled;  // why its clock is held down just now: "power cap", "thermal"
};

// A kernel as it is launched: what it takes of the device.
struct KernelFacts {
  std::string name;      // mangled
  int registers = 0;     // of a thread
  int local_bytes = 0;   // of a thread: spills and stack
  int shared_bytes = 0;  // of a block, static and dynamic
  int threads = 0;       // of a block
  std::int64_t blocks = 0;
  int blocks_an_sm = 0;  // at a time, as far as these allow
};

// Opaque to all but the machine that made them. The null stream always exists.
using Stream = void*;
using Event = void*;
using Graph = void*;  // work recorded once, to be launched again and again

class Machine {
 public:
  virtual ~Machine() = default;
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  virtual const Facts& facts() const = 0;

  // A reading of the device's sensors; all 0 where it has none. Takes a good part of a millisecond.
  virtual Vitals vitals() { return {}; }

  // Makes this device the calling thread's current one and gives back the one it had: see Here.
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
  // Milliseconds between two recorded events; waits for the second. A record() between begin and end of a capture
  // becomes part of the graph and happens anew with every launch.
  virtual Status elapsed(Event from, Event to, double& milliseconds) = 0;

  // Between begin and end, what is enqueued on the stream is recorded instead of run. A machine that runs things at
  // once records nothing and says unsupported.
  virtual Status begin_capture(Stream stream) = 0;
  virtual Status end_capture(Stream stream, Graph& out) = 0;
  virtual Status launch(Graph graph, Stream stream) = 0;
  virtual void destroy_graph(Graph graph) = 0;

  // What `work` would launch on the stream it is given, in order; nothing of it is run. A machine that has no such
  // kernels says unsupported.
  virtual Status kernels(const std::function<Status(Stream)>& work, std::vector<KernelFacts>& out) {
    (void)work;
    out.clear();
    return {Code::unsupported, "this machine cannot say what its kernels take"};
  }

  // A profiler that was told to wait looks at what is launched between the two, and at nothing else. Where none
  // watches they do nothing.
  virtual Status profile_begin() { return {}; }
  virtual Status profile_end() { return {}; }
};

// This device is the calling thread's current one for as long as this lives. Kernels are launched within one; the
// machine's own calls need no such care.
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

// The facts of every device there is, the CPU first, then the emulated GPU if this build has it.
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
