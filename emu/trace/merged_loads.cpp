#include "emu/trace/merged_loads.hpp"

#include <algorithm>
#include <bit>

namespace cairn::emu {
namespace {

// Where in its piece each lane reads: the compiler knows one place for all lanes, or none.
bool same_place(const Request& request, unsigned piece, unsigned& place) {
  place = static_cast<unsigned>(request.address[static_cast<unsigned>(std::countr_zero(request.lanes))] % piece);
  for (std::uint32_t left = request.lanes; left != 0; left &= left - 1) {
    if (request.address[static_cast<unsigned>(std::countr_zero(left))] % piece != place) return false;
  }
  return true;
}

}  // namespace

void MergedLoads::add(const Request& request, std::uint32_t site, std::vector<Load>& out) {
  unsigned place = 0;
  if (request.lanes == 0 || request.bytes >= kPiece || request.matrices || !same_place(request, kPiece, place)) {
    out.push_back({request, site});
    return;
  }
  const std::uint32_t bytes = ((1u << request.bytes) - 1) << place;
  const auto first = static_cast<unsigned>(std::countr_zero(request.lanes));
  const auto in = [&](const Piece& piece) {
    if (piece.lanes != request.lanes || piece.address[first] != request.address[first] - place) return false;
    for (std::uint32_t left = request.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      if (piece.address[lane] != request.address[lane] - place) return false;
    }
    return true;
  };
  if (const auto at = std::ranges::find_if(held_, in); at != held_.end()) {
    at->read |= bytes;  // what has been read already is in a register
    return;
  }
  if (held_.size() == kMostHeld) {
    complete(held_.front(), out);
    held_.erase(held_.begin());
  }
  Piece& piece = held_.emplace_back();
  piece.lanes = request.lanes, piece.site = site, piece.read = bytes;
  for (std::uint32_t left = request.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    piece.address[lane] = request.address[lane] - place;
  }
}

void MergedLoads::wall(std::vector<Load>& out) {
  for (const Piece& piece : held_) complete(piece, out);
  held_.clear();
}

// The widest aligned loads that read these bytes and no others.
void MergedLoads::complete(const Piece& piece, std::vector<Load>& out) {
  std::uint32_t left = piece.read;
  while (left != 0) {
    const auto from = static_cast<unsigned>(std::countr_zero(left));
    unsigned bytes = kPiece;
    const auto covered = [&] { return ((1u << bytes) - 1) << from; };
    while (from % bytes != 0 || (left & covered()) != covered()) bytes /= 2;
    left &= ~covered();
    Load& load = out.emplace_back();
    load.site = piece.site;
    load.request.lanes = piece.lanes;
    load.request.bytes = bytes;
    for (std::uint32_t lanes = piece.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      load.request.address[lane] = piece.address[lane] + from;
    }
  }
}

}  // namespace cairn::emu
