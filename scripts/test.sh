#!/usr/bin/env bash
# test.sh             the tests, the quick ones first
# test.sh slow        those that take long and prove little more of the code (label slow)
# test.sh wheel       the Python package as a wheel, in bare environments, and with PyTorch
# test.sh sanitize    the unit tests once more under AddressSanitizer and UndefinedBehaviorSanitizer, then the fuzz
#                     targets for CAIRN_FUZZ_SECONDS (30) each
#
# A build that breaks stops here. A test that fails is counted and the rest still runs; the last line tells.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-plain} in
  plain | slow | wheel | sanitize) what=${1:-plain} ;;
  *) echo "usage: scripts/test.sh [slow | wheel | sanitize]" >&2; exit 2 ;;
esac
jobs=$(nproc)
preset=$(scripts/preset.sh test)
results=build/test-results/$what
rm -rf "$results"
mkdir -p "$results"

build() {  # build PRESET [-DNAME=VALUE] [--target NAME]
  local preset=$1 define=()
  shift
  if [ "${CI:-}" = true ]; then define=(-DCAIRN_SEVERAL=ON); fi
  if [[ ${1:-} == -D* ]]; then define+=("$1") && shift; fi
  echo "== build: $preset"
  cmake --preset "$preset" "${define[@]}" >"$results/configure-$preset.log" || { cat "$results/configure-$preset.log"; exit 1; }
  grep -E '^-- (cairn [0-9]|.*(not found|left out))' "$results/configure-$preset.log" || true
  cmake --build --preset "$preset" --parallel "$jobs" "$@"
}

failed_stages=0 verdicts=""
run() {  # run NAME PRESET [ctest arguments]
  local name=$1 preset=$2
  shift 2
  echo "== test: $name"
  ctest --preset "$preset" --parallel "$jobs" --output-junit "$PWD/$results/$name.xml" "$@" ||
    failed_stages=$((failed_stages + 1))
}

plain() {
  build "$preset"
  run quick "$preset" --label-regex unit
  run rest "$preset" --label-exclude 'unit|slow'
}

slow() {
  build "$preset"
  run slow "$preset" --label-regex slow
}

wheel() {  # both at once: each uses one core most of the time
  build "$preset"
  local stage code
  declare -A running
  for stage in wheel torch; do
    scripts/test_python.sh $stage "build/$preset" >"$results/$stage.txt" 2>&1 &
    running[$stage]=$!
  done
  for stage in wheel torch; do
    code=0
    wait "${running[$stage]}" || code=$?
    echo "== test: $stage"
    cat "$results/$stage.txt"
    case $code in
      0) verdicts+="$stage passed, " ;;
      77) verdicts+="$stage skipped, " ;;  # it has said what is missing here
      *) verdicts+="$stage FAILED, " failed_stages=$((failed_stages + 1)) ;;
    esac
  done
}

sanitize() {
  # The emulated ladder, half of a build, is not instrumented: that of the tests will do.
  build "$preset" --target cairn_emu_plain
  build asan -DCAIRN_PREBUILT_LADDER="$PWD/build/$preset/lib/libcairn_emu_plain.so"
  run sanitizers asan

  if grep -q "^present .* libfuzzer " <<<"$(scripts/setup.sh --check fuzz)"; then
    build fuzz
    run fuzz fuzz
  else
    echo "== test: fuzz skipped: no clang++ with libFuzzer here"
    if [ "${CI:-}" = true ]; then failed_stages=$((failed_stages + 1)); fi  # CI installs it, or something is wrong
  fi
}

if [ "$what" = sanitize ]; then scripts/setup.sh test fuzz; else scripts/setup.sh test python; fi
"$what"

took="in $((SECONDS / 60)) min $((SECONDS % 60)) s"
if [ "$what" = wheel ]; then
  echo "$verdicts$took"
  exit $((failed_stages > 0))
fi

# What ctest wrote down, added up. A test that ctest runs is one program, with many cases in it.
count() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results"/*.xml | awk '{ n += $1 } END { print n + 0 }'; }
tests=$(count tests) failures=$(count failures) skipped=$(($(count skipped) + $(count disabled)))
echo "$((tests - failures - skipped)) passed, $failures failed, $skipped skipped, $took"
[ "$failed_stages" = 0 ] && [ "$failures" = 0 ]
