#!/usr/bin/env bash
# gpu_check.sh [OUT] [STEP…]: everything there is to do on a machine with a GPU, in one go. Leaves in OUT
# (build/gpu_check):
#
#   summary.txt   one line for each step: passed or failed, and how long it took
#   log.txt       what the steps printed; memcheck.txt, racecheck.txt, …, what compute-sanitizer's tools did
#   *.json        records of the measurements, for results/<device>/; cublas_choices.json, what was found of cuBLAS's
#                 algorithms, for the same place
#   sass.txt      the machine code of the rungs named in CAIRN_SASS (a regular expression; all gemm rungs by default)
#
# The steps, all of them if none is named:
#
#   build         configure and build with every core
#   tests         ctest
#   fuzz          CAIRN_FUZZ_CASES (a million) drawn cases against the oracle, a fifth of them for what the library chooses,
#                 as many for each rung and baseline: fuzz/*.csv, and the totals in summary.txt
#   pages         every command of the pages, those that need a GPU too; CAIRN_PAGES_OF (a regular expression) names some
#   sanitize      compute-sanitizer's four tools over small products
#   ladder        every rung and baseline at 4096 cubed, and how the machine is: ladder.json, for the README
#   tensor        the tensor trail at 4096 cubed, bf16, f16, tf32 and split: tensor.json
#   hopper        the Hopper trail at 4096 and 8192 cubed, bf16: hopper.json
#   summit        the library on Hopper under sustained load, in its four types: summit_sustained*.json; and the
#                 summit's tiles: summit_tiles*.json
#   course        the library over the course, in its four types: course_*.json; what is slower than in the committed
#                 records is in summary.txt
#   tiles         the variants of the summit, tensor/41's tiles and the library's choice on drawn shapes:
#                 tiles_fitted_*.json, to which the cost models' constants are fitted, and tiles_held_*.json, to which
#                 they are not; without samples
#   drawn         the library over shapes by lot, of CAIRN_SEED (2026): general in four types, the other classes in bf16:
#                 drawn_CLASS_TYPE.json
#   drawn_full    the same in f32, all classes, and f64, general ones; the course in both, and f64 at 4096 cubed in all
#                 layouts: squares_f64.json
#   split         f32 by tensor cores: rungs 60 and 61 at 4096 and 8192 cubed in all layouts, split.json; the library on shapes
#                 by lot, drawn_general_split.json, and on large ones, large_split.json; 20,000 drawn cases (CAIRN_SPLIT_CASES)
#   epilogues     the library with bias and activation, with scales and with groups of rows, beside cuBLAS:
#                 epilogues.json, scales*.json, groups.json
#   python        the tests of the Python package and of PyTorch's operators on the GPU, and what a call and an MLP take
#                 beside torch: torch.json. The build has to find a Python with nanobind, torch and pytest
#   suites        the f32 rungs and baselines over the suites squares and seeds: squares.json, seeds.json
#   again         the same once more, and how many rows agree: squares_again.json, seeds_again.json
#   probes        the ceilings, by every tile of the probes: probes.json
#   baselines     the vendor's library in every type: baselines.json
#   host          the host's time for a call, by gemm, by run and by cuBLAS: host*.json
#   profile       counters of every rung: profile.json
#   lab           the experiments that need a GPU
#   sass          sass.txt
#
# CAIRN_COMMIT (40 hex digits) names the commit where the tree came without its history. Exits 77 where there is no GPU.
# shellcheck disable=SC2016,SC2317  # the steps are called by name; what xargs starts expands its own
set -uo pipefail
cd "$(dirname "$0")/.." || exit
out=${1:-build/gpu_check}
[ $# -eq 0 ] || shift
wanted=" $* "
mkdir -p "$out"
log=$out/log.txt summary=$out/summary.txt
: >"$log"
: >"$summary"

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "gpu_check.sh: no GPU here" >&2
  exit 77
fi
export PATH=$PATH:/usr/local/cuda/bin
cairn=build/gpu/bin/cairn
failed=0
# What earlier searches for cuBLAS's fastest algorithms found saves this run its own.
export CAIRN_CHOICES=${CAIRN_CHOICES:-$out/cublas_choices.json}
[ -e "$CAIRN_CHOICES" ] || cp results/h200/cublas_choices.json "$CAIRN_CHOICES"

want() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }  # want STEP
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
# In jobs of about as many cases each, one process per core, since the oracle that judges the results runs on the CPU. A
# job that has ended is not run again, so what was cut off goes on where it stopped. Processes that share a GPU by time
# slices wait for each other; clients of an MPS server do not, so one is started where the driver has it.
fuzz() {
  local all=${CAIRN_FUZZ_CASES:-1000000} jobs=16 ids=() id seed each own verdict=0 mps=
  mkdir -p "$out/fuzz" || return
  mapfile -t ids < <("$cairn" list --device gpu --format csv | tail -n +2 | cut -d, -f1 | grep -v '^cairn$\|^probe/.*_peak')
  [ ${#ids[@]} -gt 0 ] || return
  each=$(((all - all / 5 + ${#ids[@]} - 1) / ${#ids[@]}))
  own=$(((all / 5 + jobs - 1) / jobs))
  export CUDA_MPS_PIPE_DIRECTORY=/tmp/cairn_mps CUDA_MPS_LOG_DIRECTORY=/tmp/cairn_mps
  mkdir -p "$CUDA_MPS_PIPE_DIRECTORY"
  if nvidia-cuda-mps-control -d; then mps=1; else unset CUDA_MPS_PIPE_DIRECTORY; fi
  {
    for ((seed = 1; seed <= jobs; ++seed)); do echo "cairn $seed $own"; done
    for id in "${ids[@]}"; do echo "$id 1 $each"; done
  } | cairn=$cairn out=$out xargs -P "$(nproc)" -L 1 bash -c '
    csv=$out/fuzz/${0//\//_}_$1_$2.csv
    [ -e "$csv" ] && exit
    "$cairn" verify "$0" --seed "$1" --fuzz "$2" --device gpu --format csv >"$csv.part"
    verdict=$?
    mv "$csv.part" "$csv"
    exit $verdict' || verdict=1
  [ -z "$mps" ] || echo quit | nvidia-cuda-mps-control
  unset CUDA_MPS_PIPE_DIRECTORY
  awk -F, '
    FNR > 1 { cases += $2; passed += $3; refused += $4; failed += $5; if ($1 == "cairn") own += $2 }
    END {
      printf "fuzz: %d cases, %d of them for the library\047s choice: %d passed, %d refused, %d failed\n",
             cases, own, passed, refused, failed
      exit failed > 0
    }' "$out"/fuzz/*.csv | tee -a "$summary" || verdict=1
  return "$verdict"
}
# Small products with edges; one run under a sanitizer takes as long as hundreds outside. Of the summit a variant of
# every kind: rows, columns and pingpong, alone, in clusters and co-resident, either way round, fetched and paired, and in
# clusters of four and eight. Then epilogues, scales and groups.
sanitize() {
  local check=(compute-sanitizer --tool "$1" --error-exitcode 1 "$cairn" verify --device gpu) verdict=0
  look() { "${check[@]}" "$@" || verdict=1; }
  look --shape 33x65x40,64x64x64,1x70x3 --fuzz 12
  look 'probe/*@*' --shape 64 --fuzz 4
  look simt/{23,24,25}@'*' tensor/{41,42}@'*' --shape 33x65x40,70x40x100 --fuzz 6
  look 'simt/24@*' --shape 3x65x400,70x4x1100 --fuzz 6
  look hopper/59@{1,6,9,11,21,25,33,44,52,54,56,60,63,65,69,71,80,88} --type bf16,tf32,e4m3,e4m3fast \
    --shape 33x65x40,70x40x600 --fuzz 4
  look simt/22 simt/23@{0,3} simt/24@{0,7,13} simt/25@{0,5,8} tensor/39 tensor/42 hopper/59@{0,7,10,34} \
    --epilogue none,bias+gelu+before --scales vector,tensor --shape 33x65x40,70x40x600 --fuzz 6
  look simt/22 simt/23@{0,3} tensor/39 hopper/59@{0,7,10,34} --groups 4 --shape 133x65x40,270x40x600 --fuzz 6
  # racecheck reports every access of the repair of wild rows (split_repair.hpp), whose threads, 256 of a block's 384, meet at
  # a named barrier. The emulator's detector follows that and reports none, so racecheck is not asked.
  [ "$1" = racecheck ] || look hopper/60 'hopper/61@*' --type split --shape 33x65x40,150x70x600 --fuzz 6
  # racecheck does not follow one lane that arrives for its warp (tests/device/gpu/racecheck_probe.cu), as those do that
  # fetch operands by threads, or scales of blocks.
  if [ "$1" != racecheck ]; then
    look hopper/59@{48,49,50,51} --type bf16,tf32,e4m3,e4m3fast --shape 33x65x40,70x40x600 --fuzz 4
    look hopper/59@{0,7,10,34} --scales blocks,vector_blocks --shape 33x65x40,70x40x600 --fuzz 6
  fi
  return "$verdict"
}
bench() {  # bench RECORD arguments of cairn bench...
  local record=$out/$1
  shift
  "$cairn" bench --device gpu --record "$record" --force "$@"
}
suites() {  # suites SUFFIX
  bench "squares$1.json" 'simt/*' cairn --suite squares --seconds 0.5 &&
    bench "seeds$1.json" 'simt/*' cairn --suite seeds --seconds 2
}
again() {
  suites _again && "$cairn" compare "$out/squares.json" "$out/squares_again.json" &&
    "$cairn" compare "$out/seeds.json" "$out/seeds_again.json"
}
baselines() {
  bench baselines.json 'cublas/*' --suite squares --type f64,tf32,f16,bf16 --seconds 1 &&
    bench baselines_e4m3.json 'cublas/*' --shape 1024,2048,4096,8192 --layout nt --type e4m3:bf16,e4m3fast:bf16 --seconds 1
}
hopper() { bench hopper.json 'hopper/*' 'cublas/*' --type bf16 --layout nn,nt --shape 4096,8192 --seconds 1; }
summit() {
  local some=(cairn --sustained --seconds 1.5) sweep=(cairn --sustained --seconds 1.5 --samples summary)
  bench summit_tiles.json 'hopper/59@*' "${sweep[@]}" --type bf16 --layout nn --shape 2048,4096,8192 &&
    bench summit_tiles_other.json 'hopper/59@*' "${sweep[@]}" --type tf32,e4m3fast:bf16 --layout nt --shape 4096,8192 &&
    bench summit_tiles_seeds.json hopper/59@{0,1,4,5} "${sweep[@]}" --type bf16 --suite seeds &&
    bench summit_tiles_wide.json hopper/59@{0,1,4} "${sweep[@]}" --type bf16 --layout nt --shape 4096x7168x2048 &&
    bench summit_sustained.json "${some[@]}" --type bf16,f16 --layout nn,nt --shape 2048,4096,8192 &&
    bench summit_sustained_seeds.json "${some[@]}" --suite seeds --type bf16,f16 &&
    bench summit_sustained_tf32.json "${some[@]}" --type tf32 --layout nt,tn --shape 4096 &&
    bench summit_sustained_e4m3.json "${some[@]}" --type e4m3fast:bf16 --layout nn,nt,tn,tt --shape 4096,8192 &&
    bench summit_sustained_odd.json "${some[@]}" --type bf16 --layout nn --shape 4095
}
course() {  # course TYPE...
  local type
  for type in "$@"; do
    bench "course_${type%%:*}.json" cairn --suite course --type "$type" --seconds 0.2 --samples summary || return
    slower "course_${type%%:*}.json"
  done
}
# What the library lost since the committed record of the same name: rows that do not agree with it and take 5 % longer.
# Results that are right say nothing about this.
slower() {
  [ -e "results/h200/$1" ] || return 0
  "$cairn" compare "results/h200/$1" "$out/$1" --format csv |
    awk -F, -v record="$1" '$1 == "cairn" && $12 ~ /^false/ && $6 > 5 {
      printf "slower by %.0f %% than in %s: %s\n", $6, record, $3 }' | tee -a "$summary"
}
# Variants of the summit and tiles for small products on shapes drawn by lot: some to fit the cost models to, and others
# to hold them to. Of odd and batched shapes those that are small, of deep ones, whose verification takes half a second a
# row, those that may be worth it.
tiles() {
  local all=('hopper/59@*') small=('tensor/41@*' hopper/59@{10,18,20,22,34,44,46,48,49,50,51,52,53,54,55,56,57})
  local deep=(hopper/59@{0,1,5,7,8,11,13,14,15,17,20,25,29,32,38,39,41})
  tiles_of general 12 "${all[@]}" && tiles_of thin 6 "${all[@]}" && tiles_of wide 6 "${all[@]}" &&
    tiles_of odd 16 "${small[@]}" && tiles_of batched 16 "${small[@]}" && tiles_of deep 4 "${deep[@]}"
}
tiles_of() {  # tiles_of CLASS COUNT contenders...
  local lot=("${@:3}" cairn cublas/lt_first cublas/gemm_ex --suite "drawn:$1" --type bf16 --seconds 0.004 --samples summary)
  bench "tiles_fitted_$1.json" "${lot[@]}" --seed 7 --count "$2" &&
    bench "tiles_held_$1.json" "${lot[@]}" --seed 8 --count $(($2 / 2))
}
tensor() { bench tensor.json 'tensor/*' 'cublas/*' --type bf16,f16,tf32,split --layout nn,nt --shape 4096 --seconds 0.5; }
probes() {
  bench probes.json 'probe/*@*' --shape 4096,8192 --seconds 1 &&
    bench probes_mma.json 'probe/mma_peak@*' --type bf16,f16,tf32,f64 --shape 8192 --seconds 1 &&
    bench probes_wgmma.json 'probe/wgmma_peak@*' --type bf16,f16,tf32,e4m3 --shape 8192 --seconds 1
}
host() {
  local ways=(cairn cairn/gemm cublas/gemm_ex --host --seconds 0.5 --samples summary)
  bench host.json "${ways[@]}" --type bf16,f32,tf32 --layout nt --shape 64,256 &&
    bench host_copies.json "${ways[@]}" --type bf16,tf32 --layout nn --shape 63,255 &&  # A and B are packed first
    "$cairn" bench cairn cairn/gemm openblas/direct --device cpu --host --shape 4,16,64 --type f32 --seconds 0.5 \
      --samples summary --record "$out/host_cpu.json" --force
}
# The strongest baseline is searched for briefly (docs/measuring.md, "Shapes by lot"): about a second a shape in all.
drawn() {
  local class type lot=(cairn --seed "${CAIRN_SEED:-2026}" --seconds 0.01)
  bench drawn_general_bf16.json "${lot[@]}" --suite drawn:general --count 200 --type bf16 || return
  for type in tf32 f16; do
    bench "drawn_general_$type.json" "${lot[@]}" --suite drawn:general --count 60 --type "$type" || return
  done
  # cuBLAS takes e4m3 in no other layout.
  bench drawn_general_e4m3fast.json "${lot[@]}" --suite drawn:general --count 60 --type e4m3fast:bf16 --layout nt || return
  for class in thin deep wide odd batched; do
    bench "drawn_${class}_bf16.json" "${lot[@]}" --suite "drawn:$class" --count 60 --type bf16 || return
  done
}
drawn_full() {
  local class lot=(cairn --seed "${CAIRN_SEED:-2026}" --seconds 0.01)
  for class in general thin deep odd batched wide; do
    bench "drawn_${class}_f32.json" "${lot[@]}" --suite "drawn:$class" --count 60 --type f32 || return
  done
  bench drawn_general_f64.json "${lot[@]}" --suite drawn:general --count 60 --type f64 &&
    bench squares_f64.json cairn 'cublas/*' --type f64 --layout nn,nt,tn,tt --shape 4096 --seconds 0.3 --samples summary &&
    course f32 f64
}
split() {
  local some=(--type split --samples summary)
  bench split.json hopper/60 hopper/61 tensor/40 'cublas/*' "${some[@]}" --layout nn,nt,tn,tt --shape 4096,8192 --seconds 0.4 &&
    bench large_split.json cairn "${some[@]}" --suite results/h200/large_split.txt --seconds 0.05 &&
    bench drawn_general_split.json cairn --type split --seed "${CAIRN_SEED:-2026}" --seconds 0.01 --suite drawn:general --count 60
}
# In a process for each core, as fuzz() does.
split_cases() {
  local each=$(((${CAIRN_SPLIT_CASES:-20000} + 15) / 16)) verdict=0
  seq 1 16 | cairn=$cairn out=$out each=$each xargs -P "$(nproc)" -I SEED bash -c \
    '"$cairn" verify hopper/60 "hopper/61@*" cairn --type split --device gpu --seed SEED --fuzz $((each / 6 + 1)) --format csv >"$out/split_SEED.csv"' ||
    verdict=1
  awk -F, 'FNR > 1 { cases += $2; passed += $3; refused += $4; failed += $5 }
    END { printf "split: %d cases: %d passed, %d refused, %d failed\n", cases, passed, refused, failed; exit failed > 0 }' \
    "$out"/split_*.csv | tee -a "$summary" || verdict=1
  rm -f "$out"/split_*.csv
  return "$verdict"
}
# Without an epilogue first, in the same record. Blocks are scaled where sums are promoted, vectors in both computes.
epilogues() {
  local some=(cairn 'cublas/*' --seconds 0.1 --samples summary)
  bench epilogues.json "${some[@]}" --type bf16 --layout nn,nt --shape 4096,64x4096x4096 \
    --epilogue none,bias,bias+relu,bias+gelu_tanh,bias+gelu,bias+silu &&
    bench scales.json "${some[@]}" --type e4m3fast:bf16 --layout nt --shape 4096,4096x7168x2048,64x4096x4096 \
      --scales none,tensor,vector &&
    bench scales_blocks.json "${some[@]}" --type e4m3:bf16 --layout nt --shape 4096,4096x7168x2048,64x4096x4096 \
      --scales none,vector,blocks,vector_blocks &&
    bench groups.json "${some[@]}" --type bf16,e4m3fast:bf16 --layout nt --groups 64 --shape 16896x7168x2048
}
python() {
  export PYTHONPATH=$PWD/build/gpu/python PYTHONDONTWRITEBYTECODE=1
  local folder
  for folder in numpy torch; do python3 -m pytest -q -p no:cacheprovider "tests/python/$folder" || return; done
  python3 tests/python/bench_torch.py --out "$out/torch.json"
}
profile() {
  "$cairn" profile 'transpose/*' 'simt/*' --device gpu --shape 1024 --record "$out/profile.json" --force
}
lab() {
  local name
  for name in timing transpose vectorize double-buffer tiny-code precision; do
    "$cairn" lab "$name" --record "$out/${name//-/_}.json" --force || return
  done
}
sass() {
  cuobjdump -sass -arch sm_90a "$cairn" |
    awk -v want="${CAIRN_SASS:-simt_}" '/Function :/ { on = $0 ~ want } on' >"$out/sass.txt"
  [ -s "$out/sass.txt" ]
}

if want build; then step build build; fi
[ -x "$cairn" ] || { echo "gpu_check.sh: there is no $cairn, see $log" >&2; exit 1; }
if want tests; then step tests ctest --preset gpu --parallel "$(nproc)"; fi
if want pages; then step pages env CAIRN_PAGES=gpu build/gpu/tests/page_commands_test --gtest_filter='PageCommands.*'; fi
if want fuzz; then step fuzz fuzz; fi
if want sanitize; then
  # At once: each keeps one core busy and the GPU idle. Their output would be mixed in the log, so each has its own.
  for tool in memcheck racecheck initcheck synccheck; do
    (log=$out/$tool.txt failed=0; step "compute-sanitizer $tool" sanitize "$tool"; exit "$failed") &
  done
  for tool in 1 2 3 4; do wait -n || failed=1; done
fi
if want ladder; then step ladder bench ladder.json --shape 4096 --seconds 2; fi
if want tensor; then step tensor tensor; fi
if want hopper; then step hopper hopper; fi
if want summit; then step summit summit; fi
if want course; then step course course bf16 f16 tf32 e4m3fast:bf16; fi
if want tiles; then step tiles tiles; fi
if want drawn; then step drawn drawn; fi
if want drawn_full; then step drawn_full drawn_full; fi
if want split; then
  step split split
  step split_cases split_cases
fi
if want epilogues; then step epilogues epilogues; fi
if want suites; then step suites suites ""; fi
if want again; then step again again; fi
for name in python probes baselines host profile lab sass; do
  if want $name; then step $name $name; fi
done

exit $failed
