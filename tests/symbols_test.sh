#!/usr/bin/env bash
# symbols_test.sh NM LIBRARY | --self-test
#
# The shared library exports the C functions cairn_* and names of namespace cairn, nothing else: any other name
# could clash with a program's own, and would become a promise nobody meant to make.
set -euo pipefail

# Reads `nm -D --defined-only -C` and prints each symbol that is not ours; fails on one, and on none at all.
check() {
  awk '
    NF == 0 { next }
    {
      name = $0
      sub(/^[0-9a-fA-F]* *[A-Za-z] /, "", name)
      total++
      kind = "^(typeinfo for |typeinfo name for |vtable for |VTT for |guard variable for )?cairn::"
      if (name ~ /^cairn_[a-z]/) { c++; next }
      if (name ~ kind) { cxx++; next }
      print "not ours: " name
      alien++
    }
    END {
      printf "%d exported: %d C functions, %d C++ names, %d that should not be there\n", total, c, cxx, alien
      if (c == 0 || cxx == 0) print "the C functions and the C++ names must both be there"
      exit !(alien == 0 && c > 0 && cxx > 0)
    }'
}

good='0000000000012340 T cairn_gemm
0000000000012380 T cairn::gemm(cairn::Problem const&)
0000000000022380 V typeinfo for cairn::Plan'

expect() {  # expect pass|fail WHAT NM-OUTPUT
  local got=pass
  check <<<"$3" >/dev/null || got=fail
  if [ "$got" != "$1" ]; then
    echo "self-test: $2: expected $1, got $got" >&2
    exit 1
  fi
}

if [ "${1:-}" = --self-test ]; then
  expect pass "our own names" "$good"
  expect fail "nothing exported" ""
  expect fail "no C functions" "0000000000012380 T cairn::version()"
  expect fail "no C++ names" "0000000000012340 T cairn_gemm"
  expect fail "a stray C function" "$good"$'\n''0000000000012999 T helper'
  expect fail "a name that only begins like ours" "$good"$'\n''0000000000012999 T cairngorm'
  expect fail "a standard-library template" "$good"$'\n''0000000000012999 W std::vector<cairn::Problem>::~vector()'
  expect fail "another namespace" "$good"$'\n''0000000000012999 T fmt::v9::vformat(int)'
  echo "self-test: 8 cases as expected"
  exit 0
fi

"$1" -D --defined-only -C "$2" | check
