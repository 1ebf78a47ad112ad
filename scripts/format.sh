#!/usr/bin/env bash
# Formats every source in place with .clang-format.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh lint
command -v clang-format >/dev/null || { echo "format.sh: clang-format is missing" >&2; exit 1; }
scripts/sources.sh | xargs -r clang-format -i
