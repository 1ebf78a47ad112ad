// Shuffles from lanes that are not there. Lanes of a mask that have returned are excused from a collective, so that it
// completes without them, but a value of theirs is undefined: on a GPU often an old register, here all ones.
#include "emu/report/report.hpp"
#include "emu/trace/tracer.hpp"

namespace cairn::emu {
namespace {

// "returned: 16-31", "never there: 16-31", or both: the lanes of the mask that take no part.
std::string absent_lanes(const std::vector<Thread>& threads, const Thread& reader) {
  const std::size_t first = reader.linear - reader.lane();
  std::vector<unsigned> returned, missing;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if ((reader.mask >> lane & 1) == 0) continue;
    if (first + lane >= threads.size())
      missing.push_back(lane);
    else if (threads[first + lane].state == State::exited)
      returned.push_back(lane);
  }
  std::string text = returned.empty() ? "" : "returned: " + ranges(returned);
  if (!missing.empty()) text += (text.empty() ? "never there: " : ", never there: ") + ranges(missing);
  return text;
}

}  // namespace

void Tracer::source_absent(const Thread& reader) {
  if (!detect_) return;
  checked_thread_ = reader.linear;
  add_finding({Fault::absent_lane, emu::site_of(reader.site), 0,
               who() + ": " + reader.call + " with mask " + hex(reader.mask) + " takes a value from lane " +
                   std::to_string(reader.argument) + ", which is not there (" +
                   absent_lanes(block_->threads(), reader) + "), at ",
               "", ""});
  checked_thread_ = kNobody;
}

}  // namespace cairn::emu
