// A GPU made of a clock that the test turns. Memory is the host's; work enqueued on it runs at once, or when the
// graph it was recorded into is launched, and takes as long as it says. So the bench's promises about events, graphs
// and host time can be held to exact numbers on a machine without a GPU.
#pragma once

#include <cstring>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

class FakeGpu final : public Machine {
 public:
  FakeGpu() {
    facts_.kind = Kind::gpu;
    facts_.device = 0;
    facts_.name = "fake GPU";
    facts_.units = 132;
    facts_.arch = 90;
    facts_.clock_mhz = 1980;
    facts_.memory_rate = 4.8e12;
    facts_.cache_bytes = 1 << 20;
  }

  // What a kernel launch is to a real one.
  Status enqueue(double microseconds, std::function<void()> work) {
    const auto step = [this, microseconds, work = std::move(work)] {
      work();
      now_us_ += microseconds;
    };
    if (capturing_) {
      recorded_.emplace_back(step);
    } else {
      step();
    }
    return {};
  }
  // What creating a library handle is: it allocates, which no capture survives.
  Status create_handle() {
    broken_ = broken_ || capturing_;
    return broken_ ? Status{Code::device_error, "operation not permitted when stream is capturing"} : Status{};
  }

  const Facts& facts() const override { return facts_; }
  Vitals vitals() override {
    readings_ += 1;
    return {1000.0 + readings_, 300, 50, {"power cap"}};
  }

  Status allocate(std::size_t bytes, void*& out) override {
    out = bytes == 0 ? nullptr : ::operator new (bytes, std::align_val_t{256});
    return {};
  }
  void free(void* pointer) override { ::operator delete (pointer, std::align_val_t{256}); }
  Status copy_in(void* device, const void* host, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memcpy(device, host, bytes);
    return {};
  }
  Status copy_out(void* host, const void* device, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memcpy(host, device, bytes);
    return {};
  }
  Status fill(void* device, unsigned char value, std::size_t bytes, Stream) override {
    if (bytes > 0) std::memset(device, value, bytes);
    return {};
  }
  Status create_stream(Stream& out) override {
    out = this;
    return {};
  }
  void destroy_stream(Stream) override {}
  Status synchronize(Stream) override { return {}; }

  Status create_event(Event& out) override {
    out = new double(0);
    return {};
  }
  void destroy_event(Event event) override { delete static_cast<double*>(event); }
  Status record(Event event, Stream) override {
    return enqueue(0, [this, event] { *static_cast<double*>(event) = now_us_; });
  }
  Status elapsed(Event from, Event to, double& milliseconds) override {
    milliseconds = (*static_cast<double*>(to) - *static_cast<double*>(from)) / 1e3;
    return {};
  }

  Status begin_capture(Stream) override {
    capturing_ = true, broken_ = false;
    recorded_.clear();
    return {};
  }
  Status end_capture(Stream, Graph& out) override {
    capturing_ = false;
    if (std::exchange(broken_, false)) return {Code::device_error, "the capture was invalidated"};
    out = new Steps(std::move(recorded_));
    return {};
  }
  Status launch(Graph graph, Stream) override {
    ++launches;
    for (const auto& step : *static_cast<Steps*>(graph)) step();
    return {};
  }
  void destroy_graph(Graph graph) override { delete static_cast<Steps*>(graph); }

  int launches = 0;

 private:
  using Steps = std::vector<std::function<void()>>;

  Facts facts_;
  double now_us_ = 0;
  bool capturing_ = false, broken_ = false;
  int readings_ = 0;
  Steps recorded_;
};

}  // namespace cairn::runtime
