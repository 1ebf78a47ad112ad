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
# would be given them; nothing is built. Several files at a time (cmake/several.cmake): it looks at all that they include,
# over and over. The test programs are left to the compiler's warnings: GoogleTest's macros take longest and tell least.
if command -v clang-tidy >/dev/null; then
  echo "== clang-tidy"
  compiler=()
  if command -v clang++ >/dev/null; then compiler=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang); fi
  cmake --preset emu -B build/lint -DCAIRN_TESTS=OFF -DCAIRN_SEVERAL=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    "${compiler[@]}" >/dev/null
  several=$(find build/lint -path '*/cairn_*.dir/Unity/*' | grep -E '/cairn_(core|lab|lab_base)\.dir/')
  apart=$(scripts/sources.sh | grep -E '^(src|runtime|lab)/.*\.cpp$' | grep -vx runtime/cuda.cpp | sed "s|^|$PWD/|" |
    grep -vxF -f <(xargs sed -n 's/^#include "\(.*\)"$/\1/p' <<<"$several"))
  printf '%s\n' "$several" "$apart" |
    xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint --checks=-bugprone-suspicious-include \
      --header-filter='.*/((include/cairn|src|runtime|lab)/.*\.(h|hpp)|(src|runtime|lab)/.*\.cpp)$' ||
    failed="$failed clang-tidy"
else
  skip clang-tidy
fi

if [ -n "$failed" ]; then
  echo "lint: failed:$failed" >&2
  exit 1
fi
echo "lint: clean${skipped:+, but not looked at by:$skipped}"
