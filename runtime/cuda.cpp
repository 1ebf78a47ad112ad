// A CUDA GPU as a machine. No other file of this directory calls the CUDA runtime.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include "runtime/machines.hpp"
#include "runtime/nvml.hpp"

namespace cairn::runtime {
namespace {

// Sticky errors: after one of these the process cannot use the GPU any more, and every later call fails with it.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable: return true;
    default: return false;
  }
}

Status failed(const char* call, cudaError_t error) {
  static std::atomic<bool> broken{false};
  if (is_sticky(error) && broken.exchange(true)) {
    // The first report names the call; later calls that fail with the same error did not cause it.
    return {Code::device_error, std::string("the GPU cannot be used by this process any more, since the earlier ") +
                                    cudaGetErrorName(error)};
  }
  const auto code = error == cudaErrorMemoryAllocation ? Code::out_of_memory : Code::device_error;
  return {code, std::string(call) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error)};
}

// Runs a call and names it if it fails. The error is also cleared in CUDA (cudaGetLastError), so that no later call
// reports it again.
#define CAIRN_CUDA(call)                                          \
  do {                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
      (void)cudaGetLastError();                                   \
      return failed(#call, error);                                \
    }                                                             \
  } while (false)

std::string dotted(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

Status read_facts(int device, Facts& f) {
  cudaDeviceProp prop{};
  int clock_khz = 0, memory_khz = 0, bus_bits = 0, driver = 0, runtime = 0;
  CAIRN_CUDA(cudaGetDeviceProperties(&prop, device));
  CAIRN_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device));
  CAIRN_CUDA(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, device));
  CAIRN_CUDA(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device));
  CAIRN_CUDA(cudaDriverGetVersion(&driver));
  CAIRN_CUDA(cudaRuntimeGetVersion(&runtime));
  f.kind = Kind::gpu;
  f.device = device;
  f.name = prop.name;
  f.units = prop.multiProcessorCount;
  f.arch = prop.major * 10 + prop.minor;
  f.memory_bytes = static_cast<std::int64_t>(prop.totalGlobalMem);
  f.cache_bytes = prop.l2CacheSize;
  f.shared_bytes = static_cast<int>(prop.sharedMemPerBlockOptin);
  f.clock_mhz = clock_khz / 1000;
  f.memory_rate = 2e3 * memory_khz * bus_bits / 8;  // two words a cycle
  const std::string exact = nvml_driver();
  f.software = "CUDA " + dotted(runtime) + ", driver " + (exact.empty() ? "for " + dotted(driver) : exact);
  return {};
}

// A function of the driver library, which is not linked: the CUDA runtime has loaded it.
template <class F> Status driver_function(const char* name, unsigned version, F& out) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  CAIRN_CUDA(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess || found == nullptr)
    return {Code::unsupported, std::string("the CUDA driver has no ") + name + "; update the driver"};
  out = reinterpret_cast<F>(found);
  return {};
}

Status driver_failed(const char* call, CUresult error) {
  return {Code::device_error, std::string(call) + ": CUDA driver error " + std::to_string(static_cast<int>(error))};
}

#define CAIRN_DRIVER(call)                                                                        \
  do {                                                                                            \
    if (const CUresult error = (call); error != CUDA_SUCCESS) return driver_failed(#call, error); \
  } while (false)

// The facts of a graph's kernel nodes. They are read through the driver API: a kernel may come from a shared object
// with its own copy of the CUDA runtime, and our copy does not know its functions.
class KernelReader {
 public:
  Status open() {
    if (auto s = driver_function("cuGraphKernelNodeGetParams", 12000, params_); !s.ok()) return s;
    if (auto s = driver_function("cuKernelGetFunction", 12000, function_); !s.ok()) return s;
    if (auto s = driver_function("cuFuncGetName", 12030, name_); !s.ok()) return s;
    if (auto s = driver_function("cuFuncGetAttribute", 12000, attribute_); !s.ok()) return s;
    return driver_function("cuOccupancyMaxActiveBlocksPerMultiprocessor", 12000, occupancy_);
  }

  Status read(cudaGraphNode_t node, KernelFacts& out) const {
    CUDA_KERNEL_NODE_PARAMS p{};
    CAIRN_DRIVER(params_(node, &p));
    CUfunction f = p.func;
    if (f == nullptr) CAIRN_DRIVER(function_(&f, p.kern));
    const char* name = nullptr;
    int fixed = 0;
    CAIRN_DRIVER(name_(&name, f));
    CAIRN_DRIVER(attribute_(&out.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    CAIRN_DRIVER(attribute_(&out.local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
    CAIRN_DRIVER(attribute_(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    out.name = name;
    out.shared_bytes = fixed + static_cast<int>(p.sharedMemBytes);
    out.threads = static_cast<int>(p.blockDimX * p.blockDimY * p.blockDimZ);
    out.blocks = std::int64_t{p.gridDimX} * p.gridDimY * p.gridDimZ;
    CAIRN_DRIVER(occupancy_(&out.blocks_an_sm, f, out.threads, p.sharedMemBytes));
    return {};
  }

 private:
  CUresult (*params_)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*function_)(CUfunction*, CUkernel) = nullptr;
  CUresult (*name_)(const char**, CUfunction) = nullptr;
  CUresult (*attribute_)(int*, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*occupancy_)(int*, CUfunction, int, std::size_t) = nullptr;
};

Status read_kernels(cudaGraph_t graph, std::vector<KernelFacts>& out) {
  KernelReader reader;
  if (auto s = reader.open(); !s.ok()) return s;
  std::size_t count = 0;
  CAIRN_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) CAIRN_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    CAIRN_CUDA(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeKernel) continue;
    KernelFacts facts;
    if (auto s = reader.read(node, facts); !s.ok()) return s;
    out.push_back(std::move(facts));
  }
  return {};
}

class Cuda final : public Machine {
 public:
  explicit Cuda(Facts facts) : facts_(std::move(facts)) {
    char bus[32] = {};
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, facts_.device) == cudaSuccess) sensors_ = nvml_open(bus);
  }
  const Facts& facts() const override { return facts_; }
  Vitals vitals() override { return nvml_read(sensors_); }
  int enter() override {
    int before = kStay;
    if (cudaGetDevice(&before) != cudaSuccess || before == facts_.device) return kStay;
    (void)cudaSetDevice(facts_.device);
    return before;
  }
  void leave(int before) override { (void)cudaSetDevice(before); }

  Status allocate(std::size_t bytes, void*& out) override {
    const Here here(*this);
    out = nullptr;
    if (bytes > 0) CAIRN_CUDA(cudaMalloc(&out, bytes));
    return {};
  }
  void free(void* pointer) override {
    const Here here(*this);
    (void)cudaFree(pointer);
  }

  Status copy_in(void* device, const void* host, std::size_t bytes, Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, cuda(stream)));
    return {};
  }
  Status copy_out(void* host, const void* device, std::size_t bytes, Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, cuda(stream)));
    return {};
  }
  Status fill(void* device, unsigned char value, std::size_t bytes, Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaMemsetAsync(device, value, bytes, cuda(stream)));
    return {};
  }

  Status create_stream(Stream& out) override {
    const Here here(*this);
    cudaStream_t stream = nullptr;
    CAIRN_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    out = stream;
    return {};
  }
  void destroy_stream(Stream stream) override {
    if (stream != nullptr) (void)cudaStreamDestroy(cuda(stream));
  }
  Status synchronize(Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaStreamSynchronize(cuda(stream)));
    return {};
  }

  Status create_event(Event& out) override {
    const Here here(*this);
    cudaEvent_t event = nullptr;
    CAIRN_CUDA(cudaEventCreate(&event));
    out = event;
    return {};
  }
  void destroy_event(Event event) override { (void)cudaEventDestroy(static_cast<cudaEvent_t>(event)); }
  Status record(Event event, Stream stream) override {
    const Here here(*this);
    auto capturing = cudaStreamCaptureStatusNone;
    if (stream != nullptr) CAIRN_CUDA(cudaStreamIsCapturing(cuda(stream), &capturing));
    // During a capture a plain record only creates a dependency; cudaEventRecordExternal adds a node that records the
    // event each time the graph is launched.
    const unsigned flags =
        capturing == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    CAIRN_CUDA(cudaEventRecordWithFlags(static_cast<cudaEvent_t>(event), cuda(stream), flags));
    return {};
  }
  Status elapsed(Event from, Event to, double& milliseconds) override {
    float ms = 0;
    CAIRN_CUDA(cudaEventSynchronize(static_cast<cudaEvent_t>(to)));
    CAIRN_CUDA(cudaEventElapsedTime(&ms, static_cast<cudaEvent_t>(from), static_cast<cudaEvent_t>(to)));
    milliseconds = static_cast<double>(ms);
    return {};
  }

  Status begin_capture(Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaStreamBeginCapture(cuda(stream), cudaStreamCaptureModeThreadLocal));
    return {};
  }
  Status end_capture(Stream stream, Graph& out) override {
    const Here here(*this);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    CAIRN_CUDA(cudaStreamEndCapture(cuda(stream), &graph));
    const cudaError_t made = cudaGraphInstantiate(&ready, graph, 0);
    (void)cudaGraphDestroy(graph);
    if (made != cudaSuccess) return failed("cudaGraphInstantiate", made);
    out = ready;
    return {};
  }
  Status launch(Graph graph, Stream stream) override {
    const Here here(*this);
    CAIRN_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), cuda(stream)));
    return {};
  }
  void destroy_graph(Graph graph) override { (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); }

  Status kernels(const std::function<Status(Stream)>& work, std::vector<KernelFacts>& out) override {
    const Here here(*this);
    out.clear();
    Stream stream = nullptr;
    if (auto s = create_stream(stream); !s.ok()) return s;
    cudaGraph_t graph = nullptr;
    Status done = begin_capture(stream);
    if (done.ok()) {
      done = work(stream);
      const cudaError_t ended = cudaStreamEndCapture(cuda(stream), &graph);
      if (done.ok() && ended != cudaSuccess) done = failed("cudaStreamEndCapture", ended);
      if (done.ok()) done = read_kernels(graph, out);
    }
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    destroy_stream(stream);
    return done;
  }

  Status profile_begin() override {
    const Here here(*this);
    CAIRN_CUDA(cudaProfilerStart());
    return {};
  }
  Status profile_end() override {
    const Here here(*this);
    CAIRN_CUDA(cudaProfilerStop());
    return {};
  }

 private:
  static cudaStream_t cuda(Stream stream) { return static_cast<cudaStream_t>(stream); }

  Facts facts_;
  NvmlDevice sensors_ = nullptr;
};

int count() {
  int n = 0;
  if (cudaGetDeviceCount(&n) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return n;
}

}  // namespace

std::vector<Facts> cuda_facts() {
  std::vector<Facts> all;
  for (int device = 0; device < count(); ++device) {
    if (Facts f; read_facts(device, f).ok()) all.push_back(std::move(f));
  }
  return all;
}

Status open_cuda(int device, std::shared_ptr<Machine>& out) {
  if (device >= count()) {
    return {Code::unsupported, "device " + std::to_string(device) + " does not exist; the GPUs of this machine: " +
                                   std::to_string(count()) + " (the CPU is device -1)"};
  }
  Facts facts;
  if (auto s = read_facts(device, facts); !s.ok()) return s;
  out = std::make_shared<Cuda>(std::move(facts));
  return {};
}

}  // namespace cairn::runtime
