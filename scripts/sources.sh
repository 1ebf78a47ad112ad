#!/usr/bin/env bash
# Lists our C and C++ sources, tracked and new, one per line: what is formatted and what is linted.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.c' '*.cpp' '*.cu' '*.cuh' |
  while read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done
