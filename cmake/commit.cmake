# cmake -D SOURCE=<the tree> -D OUT=<a .cpp file> -P commit.cmake
#
# Writes the definition of lab/record/commit.hpp. Every build runs it, because a configure step may be many commits
# old; the file changes only when the answer does, so that nothing is compiled for an answer that stayed.
#
# CAIRN_COMMIT in the environment answers for a tree that came without its history.

set(digits "")
foreach(i RANGE 1 40)
  string(APPEND digits "[0-9a-f]")
endforeach()

if(NOT "$ENV{CAIRN_COMMIT}" STREQUAL "")
  set(commit "$ENV{CAIRN_COMMIT}")
  if(NOT commit MATCHES "^(${digits}(\\+changes)?|unknown)$")
    message(FATAL_ERROR "CAIRN_COMMIT is '${commit}'; it must be the 40 hex digits of a commit, "
                        "with +changes after them if the tree has some")
  endif()
else()
  set(commit unknown)
  # A tree without history may lie inside of another repository: that one's commit says nothing of ours. Without
  # the optional locks a build does not get in the way of somebody's commit.
  set(git git --no-optional-locks -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_repository)
  execute_process(COMMAND ${git} rev-parse --verify HEAD
    OUTPUT_VARIABLE head ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(no_repository EQUAL 0 AND prefix STREQUAL "" AND head MATCHES "^${digits}$")
    set(commit ${head})
    execute_process(COMMAND ${git} status --porcelain
      OUTPUT_VARIABLE changes ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_status)
    if(NOT no_status EQUAL 0 OR NOT changes STREQUAL "")
      string(APPEND commit "+changes")
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
// Written by cmake/commit.cmake.
#include "lab/record/commit.hpp"

const char* cairn::lab::record::commit() { return "@commit@"; }
]])
