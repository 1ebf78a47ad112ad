#!/usr/bin/env bash
# gpu_check.sh [OUT]: everything there is to do on a machine with a GPU, in one go. Builds, runs the GPU tests, fuzzes
# every rung, runs compute-sanitizer's four tools over small products, measures, and leaves in OUT (build/gpu_check):
#
#   summary.txt   one line for each step: passed or failed, and how long it took
#   log.txt       what the steps printed
#   record.json   the machine, the commit, every rung verified and timed at 4096 cubed, every sample: for results/
#   sass.txt      the machine code of the rungs named in CAIRN_SASS (a regular expression; all gemm rungs by default)
#
# CAIRN_FUZZ_CASES (20000) and CAIRN_BENCH_SHAPE (4096) change how much; CAIRN_COMMIT names the commit where the tree
# came without its history. Exits 77 where there is no GPU.
# shellcheck disable=SC2317  # the steps are called by name
set -uo pipefail
cd "$(dirname "$0")/.." || exit
out=${1:-build/gpu_check}
mkdir -p "$out"
log=$out/log.txt summary=$out/summary.txt
: >"$log"
: >"$summary"

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "gpu_check.sh: no GPU here" >&2
  exit 77
fi

failed=0
step() {  # step NAME command...
  local name=$1 start=$SECONDS verdict=passed
  shift
  echo "== $name" | tee -a "$log"
  if ! "$@" >>"$log" 2>&1; then
    verdict=FAILED
    failed=1
  fi
  printf '%-7s %4d s  %s\n' "$verdict" $((SECONDS - start)) "$name" | tee -a "$summary"
}

build() { cmake --preset gpu && cmake --build --preset gpu --parallel "$(nproc)"; }
cairn=build/gpu/bin/cairn
# One process a contender: the oracle that judges the results runs on the CPU and takes most of the time.
fuzz() {
  "$cairn" list --device gpu --format csv | tail -n +2 | cut -d, -f1 | grep -v '^probe/fma_peak' |
    xargs -P "$(nproc)" -I{} "$cairn" verify {} --device gpu --fuzz "${CAIRN_FUZZ_CASES:-20000}"
}
# Small products with edges; one run under a sanitizer takes as long as hundreds outside.
sanitize() {
  compute-sanitizer --tool "$1" --error-exitcode 1 \
    "$cairn" verify --device gpu --shape 33x65x40,64x64x64,1x70x3 --fuzz 12 &&
    compute-sanitizer --tool "$1" --error-exitcode 1 "$cairn" bench probe/fma_peak --shape 64 --type f32 --seconds 0.01
}
sass() {
  cuobjdump -sass -arch sm_90a "$cairn" |
    awk -v want="${CAIRN_SASS:-simt_}" '/Function :/ { on = $0 ~ want } on' >"$out/sass.txt"
  [ -s "$out/sass.txt" ]
}

# One file out of the parts; the paths of the parts are of no use elsewhere.
record() {
  local commit
  commit=${CAIRN_COMMIT:-}
  if [ -z "$commit" ]; then
    commit=$(git rev-parse --verify HEAD 2>/dev/null || echo unknown)
    [ -z "$(git status --porcelain 2>/dev/null)" ] || commit="$commit, changed"
  fi
  {
    printf '{"commit": "%s", "command": "scripts/gpu_check.sh", "driver": "%s",\n"info": ' "$commit" \
      "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    "$cairn" info --format json
    printf ',\n"climb": '
    cat "$out/climb.json"
    printf ',\n"bench": '
    cat "$out/bench.json"
    printf '}\n'
  } >"$out/record.json"
  rm "$out/climb.json" "$out/bench.json"
}

step "build" build
[ -x "$cairn" ] || { echo "gpu_check.sh: the build failed, see $log" >&2; exit 1; }
step "tests" ctest --preset gpu --parallel "$(nproc)"
step "fuzz" fuzz
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do step "compute-sanitizer $tool" sanitize "$tool"; done
else
  echo "skipped         compute-sanitizer: not installed" | tee -a "$summary"
fi
step "climb" "$cairn" climb --device gpu --shape "${CAIRN_BENCH_SHAPE:-4096}" --out "$out/climb.json" --force
step "bench" "$cairn" bench --device gpu --type f32 --shape "${CAIRN_BENCH_SHAPE:-4096}" --out "$out/bench.json" --force
if command -v cuobjdump >/dev/null; then step "sass" sass; fi
step "record" record

exit $failed
