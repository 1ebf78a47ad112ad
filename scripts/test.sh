#!/usr/bin/env bash
# test.sh             every test of the ordinary build
# test.sh sanitize    the unit tests once more under AddressSanitizer and UndefinedBehaviorSanitizer, then the fuzz
#                     targets for CAIRN_FUZZ_SECONDS (30) each
#
# A build that breaks stops here. A test that fails is counted and the rest still runs; the last line tells.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-plain} in
  plain | sanitize) what=${1:-plain} ;;
  *) echo "usage: scripts/test.sh [sanitize]" >&2; exit 2 ;;
esac
jobs=$(nproc)
results=build/test-results/$what
rm -rf "$results"
mkdir -p "$results"

build() {  # build PRESET
  echo "== build: $1"
  cmake --preset "$1" >"$results/configure-$1.log" || { cat "$results/configure-$1.log"; exit 1; }
  grep -E '^-- (cairn [0-9]|.*(not found|left out))' "$results/configure-$1.log" || true
  cmake --build --preset "$1" --parallel "$jobs"
}

failed_stages=0
run() {  # run NAME PRESET [ctest arguments]
  local name=$1 preset=$2
  shift 2
  echo "== test: $name"
  ctest --preset "$preset" --parallel "$jobs" --output-junit "$PWD/$results/$name.xml" "$@" ||
    failed_stages=$((failed_stages + 1))
}

plain() {
  build release
  run plain release
}

sanitize() {
  build asan
  run sanitizers asan

  if grep -q "^present .* libfuzzer " <<<"$(scripts/setup.sh --check test)"; then
    build fuzz
    run fuzz fuzz
  else
    echo "== test: fuzz skipped: no clang++ with libFuzzer here"
    if [ "${CI:-}" = true ]; then failed_stages=$((failed_stages + 1)); fi  # CI installs it, or something is wrong
  fi
}

scripts/setup.sh test
"$what"

# What ctest wrote down, added up. A test that ctest runs is one program, with many cases in it.
count() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results"/*.xml | awk '{ n += $1 } END { print n + 0 }'; }
tests=$(count tests) failures=$(count failures) skipped=$(($(count skipped) + $(count disabled)))
echo "$((tests - failures - skipped)) passed, $failures failed, $skipped skipped"
[ "$failed_stages" = 0 ] && [ "$failures" = 0 ]
