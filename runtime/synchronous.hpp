// What the machines share that have done their work when the call that asks for it returns: streams have nothing to
// order, events are readings of the clock, and there is nothing to record a graph from.
#pragma once

#include <chrono>
#include <string>

#include "runtime/runtime.hpp"

namespace cairn::runtime {

class SynchronousMachine : public Machine {
 public:
  Status create_stream(Stream& out) override {
    out = nullptr;  // the only one there is
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
  Status no_graphs() const { return {Code::unsupported, facts().name + " runs at once and records no graphs"}; }
};

}  // namespace cairn::runtime
