#!/usr/bin/env bash
# preset.sh run|test: which CMake preset make uses here.
#
#   run    release where there is a GPU and nvcc; else emu, which compiles nothing for a GPU that is not there
#   test   release where there is nvcc, so that the CUDA code is always compiled; else emu
set -euo pipefail

have_nvcc() { command -v "${CUDACXX:-nvcc}" >/dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ]; }
have_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

case ${1:-} in
  run) if have_nvcc && have_gpu; then echo release; else echo emu; fi ;;
  test) if have_nvcc; then echo release; else echo emu; fi ;;
  *) echo "usage: scripts/preset.sh run|test" >&2; exit 2 ;;
esac
