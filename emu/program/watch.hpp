// By which `cairn run` and a program that it runs find each other: variables of the environment that name the file to
// which the program writes what was seen, and how it is to look.
#pragma once

namespace cairn::emu::program {

inline constexpr const char* kAnswerVariable = "CAIRN_RUN_ANSWER";  // the path of the file, in the form of wire.hpp
inline constexpr const char* kSeedVariable = "CAIRN_RUN_SEED";
inline constexpr const char* kDetectorsVariable = "CAIRN_RUN_DETECTORS";  // "0": only count
inline constexpr const char* kMergedVariable = "CAIRN_RUN_MERGED";        // "1": count merged loads too
inline constexpr const char* kShapesVariable = "CAIRN_RUN_SHAPES";        // "1": count launches by their shape
inline constexpr const char* kChecksumVariable = "CAIRN_RUN_CHECKSUM";    // "1": of memory, after every launch
inline constexpr const char* kFirstVariable = "CAIRN_RUN_FIRST";          // the kernels to compare; both or none
inline constexpr const char* kSecondVariable = "CAIRN_RUN_SECOND";
inline constexpr const char* kTypeVariable =
    "CAIRN_RUN_TYPE";  // an Element, as a number; empty: as their pointers say

}  // namespace cairn::emu::program
