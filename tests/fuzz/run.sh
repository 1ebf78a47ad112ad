#!/usr/bin/env bash
# run.sh PROGRAM CORPUS WORK: fuzz from a copy of the committed corpus. What the fuzzer finds on the way stays
# in WORK, so the next run starts from there, and a crashing input is kept in WORK/ too.
set -euo pipefail
program=$1 corpus=$2 work=$3

if [ -z "$(ls -A "$corpus" 2>/dev/null)" ]; then
  echo "run.sh: the corpus $corpus is missing or empty" >&2
  exit 1
fi
mkdir -p "$work/corpus"
cp "$corpus"/* "$work/corpus/"
exec "$program" -max_total_time="${CAIRN_FUZZ_SECONDS:-30}" -rss_limit_mb=4096 -timeout=20 \
  -print_final_stats=1 -artifact_prefix="$work/" "$work/corpus"
