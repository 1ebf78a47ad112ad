// By which `cairn run` and a program that it runs find each other: variables of the environment that name the file to
// which the program writes what was seen, and how it is to look.
#pragma once

namespace cairn::emu::program {

inline constexpr const char* kAnswerVariable = "CAIRN_RUN_ANSWER";  // the path of the file, in the form of wire.hpp
inline constexpr const char* kSeedVariable = "CAIRN_RUN_SEED";
inline constexpr const char* kDetectorsVariable = "CAIRN_RUN_DETECTORS";  // "0": only count

}  // namespace cairn::emu::program
