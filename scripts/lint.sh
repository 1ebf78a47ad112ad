#!/usr/bin/env bash
# Formatting, clang-tidy, shellcheck. A tool that is missing is skipped with a line that names it, except in CI
# (CI=true), where it is a failure: a check nobody runs is no check.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh build lint
failed="" skipped=""
skip() {
  echo "== $1 skipped: it is not installed"
  skipped="$skipped $1"
  if [ "${CI:-}" = true ]; then failed="$failed $1"; fi
}

if command -v clang-format >/dev/null; then
  echo "== clang-format"
  scripts/sources.sh | xargs -r clang-format --dry-run -Werror || failed="$failed clang-format"
else
  skip clang-format
fi

if command -v shellcheck >/dev/null; then
  echo "== shellcheck"
  git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run |
    xargs -r shellcheck || failed="$failed shellcheck"
else
  skip shellcheck
fi

# clang-tidy reads the compile commands of the emu preset, the one that never needs the CUDA toolkit, as clang++
# would be given them; nothing is built. The test programs are left to the compiler's warnings: GoogleTest's
# macros take longest and tell least.
if command -v clang-tidy >/dev/null; then
  echo "== clang-tidy"
  compiler=()
  if command -v clang++ >/dev/null; then compiler=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang); fi
  cmake --preset emu -B build/lint -DCAIRN_TESTS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    "${compiler[@]}" >/dev/null
  sources=$(scripts/sources.sh | grep -E '^(src|runtime|lab)/.*\.cpp$' | grep -v '^runtime/cuda\.cpp$' || true)
  if [ -n "$sources" ]; then
    echo "$sources" | xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint || failed="$failed clang-tidy"
  fi
else
  skip clang-tidy
fi

if [ -n "$failed" ]; then
  echo "lint: failed:$failed" >&2
  exit 1
fi
echo "lint: clean${skipped:+, but not looked at by:$skipped}"
