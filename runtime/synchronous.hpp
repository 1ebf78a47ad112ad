// The common base of machines that work synchronously (the CPU, the emulated GPU): they have only the null stream,
// events are readings of the host's clock, and graphs are not supported.
#pragma once

#include <chrono>
#include <string>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

class SynchronousMachine : public Machine {
 public:
  Status create_stream(Stream& out) override {
    out = nullptr;
    return {};
  }
  void destroy_stream(Stream) override {}
  Status synchronize(Stream) override { return {}; }

  Status create_event(Event& out) override {
    out = new Clock::time_point{};
    return {};
  }
  void destroy_event(Event event) override { delete time(event); }
  Status record(Event event, Stream) override {
    *time(event) = Clock::now();
    return {};
  }
  Status elapsed(Event from, Event to, double& milliseconds) override {
    milliseconds = std::chrono::duration<double, std::milli>(*time(to) - *time(from)).count();
    return {};
  }

  Status begin_capture(Stream) override { return no_graphs(); }
  Status end_capture(Stream, Graph&) override { return no_graphs(); }
  Status launch(Graph, Stream) override { return no_graphs(); }
  void destroy_graph(Graph) override {}

 private:
  using Clock = std::chrono::steady_clock;

  static Clock::time_point* time(Event event) { return static_cast<Clock::time_point*>(event); }
  Status no_graphs() const {
    return {Code::unsupported, facts().name + " runs work synchronously and cannot capture graphs; a CUDA GPU can"};
  }
};

}  // namespace cairn::runtime
