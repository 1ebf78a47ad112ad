#!/usr/bin/env bash
# test_python.sh tree PYTHON FOLDER    tests/python/numpy on the package in FOLDER (build/release/python): what ctest does
# test_python.sh wheel BUILD           the wheel, packaged from what BUILD (build/release) installs: its contents, and the
#                                      tests in a bare environment, for the oldest Python here and for all since 3.12
# test_python.sh torch BUILD           the same with PyTorch, which is installed by name (CAIRN_TORCH_PYTHON names a
#                                      Python that has it): the operators, and tests/python/torch
#
# Exits with 77, and says why, where something is missing that the tests need.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1
work=$PWD/build/python/${1:-}  # for each its own: they may run at once
most_bytes=80000000  # of a wheel with kernels for a GPU

usage() {
  sed -n '2,/^#$/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
skip() {
  echo "test_python.sh: skipped: $*"
  exit 77
}
fail() {
  echo "test_python.sh: $*" >&2
  exit 1
}

run_pytest() { "$1" -m pytest -q -p no:cacheprovider --color=no -rs "${@:2}"; }  # run_pytest PYTHON FOLDER...

tree() {  # tree PYTHON FOLDER
  "$1" -c 'import numpy, pytest' 2>/dev/null || skip "$1 has no numpy or no pytest (scripts/setup.sh python)"
  PYTHONPATH=$2 run_pytest "$1" tests/python/numpy
}

version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# The Pythons here, one of each version from 3.10 on, oldest first: "3.11 /usr/bin/python3.11".
pythons() {
  local python found=""
  for python in $(compgen -c python3 | grep -xE 'python3(\.[0-9]+)?' | sort -u) \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    found=$(version "$python") || continue
    if [ "${found#3.}" -ge 10 ] 2>/dev/null; then echo "$found $(command -v "$python")"; fi
  done | sort -t. -k2,2n -u -s
}

environment() {  # environment FOLDER PYTHON PACKAGE...: a virtual environment with these packages
  local folder=$1 python=$2
  shift 2
  if [ ! -x "$folder/bin/python" ]; then "$python" -m venv "$folder" >"$work/log" 2>&1 || return 1; fi
  "$folder/bin/python" -m pip install -q --no-input --disable-pip-version-check --retries 1 --timeout 30 "$@" \
    >"$work/log" 2>&1
}

install_tree() {  # install_tree BUILD: what BUILD installs, in $work/prefix
  rm -rf "$work/prefix"
  if cmake --install "$1" --prefix "$work/prefix" >"$work/log" 2>&1; then return; fi
  grep -vE '^-- (Installing|Up-to-date)' "$work/log" >&2
  fail "cannot install $1: is all of it built?"
}

make_wheel() {  # make_wheel PYTHON: prints the wheel that this Python makes
  local out
  out=$work/wheel-$(version "$1")
  rm -rf "$out" "$work/cmake"
  "$1" -m pip wheel . --no-deps --no-build-isolation -w "$out" \
    --config-settings=cmake.source-dir=python --config-settings=build-dir="$work/cmake" \
    --config-settings=cmake.define.CAIRN_PREBUILT="$work/prefix" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "cannot make a wheel with $1"; }
  ls "$out"/*.whl
}

# What is in the wheel: its size, the libraries that it needs, where they are looked for, and what the modules export.
audit() {  # audit WHEEL
  local wheel=$1 bytes file needed allowed path
  bytes=$(stat -c %s "$wheel")
  echo "$(basename "$wheel"): $((bytes / 1000000)) MB"
  [ "$bytes" -le $most_bytes ] || fail "$wheel has $bytes bytes; at most $most_bytes are wanted"
  rm -rf "$work/unpacked"
  python3 -m zipfile -e "$wheel" "$work/unpacked"
  for file in cairn/py.typed cairn/_native.pyi cairn/lib/libcairn_emu_plain.so cairn/bin/cairn; do
    [ -e "$work/unpacked/$file" ] || fail "the wheel has no $file"
  done
  [ "$(find "$work/unpacked/cairn/lib" -name 'libcairn.so*' | wc -l)" = 1 ] || fail "libcairn.so is there more than once"
  # The C and C++ libraries; the wheel's own; PyTorch's, which its operators are loaded into.
  allowed='^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.[0-9]+|ld-linux.*|libcairn.*|libfmt.*|libboost_context.*)$'
  while read -r file; do
    case $file in */_torch_ops.so) path='|^lib(torch|torch_cpu|c10)\.so$' ;; *) path= ;; esac
    while read -r needed; do
      [[ $needed =~ $allowed${path} ]] || fail "$file needs $needed, which may be missing elsewhere"
      case $needed in
        libfmt* | libboost* | libcairn*) [ -e "$work/unpacked/cairn/lib/$needed" ] || fail "the wheel has no $needed" ;;
      esac
    done < <(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    path=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*R\(UN\)\?PATH).*\[\(.*\)\]/\2/p')
    [[ $path =~ ^(\$ORIGIN[^:]*)?$ ]] || fail "$file looks for libraries in $path; only below \$ORIGIN is right"
  done < <(find "$work/unpacked" -type f \( -name '*.so*' -o -path '*/bin/cairn' \))
  file=$(find "$work/unpacked/cairn" -name '_native*.so')
  needed=$(nm -D --defined-only "$file" | awk '{ print $3 }' | grep -vx PyInit__native || true)
  [ -z "$needed" ] || fail "$file exports more than its PyInit: $needed"
}

# A new environment with the wheel and NumPy, and nothing of this tree but the tests.
try_wheel() {  # try_wheel WHEEL PYTHON
  local bare
  bare=$work/bare-$(version "$2")
  rm -rf "$bare"
  environment "$bare" "$2" "$1" numpy pytest ml_dtypes matplotlib mypy || { cat "$work/log"; return 77; }
  env -u PYTHONPATH -u LD_LIBRARY_PATH "$bare/bin/cairn" --version
  env -u PYTHONPATH -u LD_LIBRARY_PATH "$bare/bin/cairn" verify simt/13 --device emu --fuzz 5 >/dev/null
  (unset PYTHONPATH LD_LIBRARY_PATH && run_pytest "$bare/bin/python" tests/python/numpy)
}

wheel() {  # wheel BUILD
  local found builders=() first last name python made
  mapfile -t found < <(pythons)
  [ ${#found[@]} -gt 0 ] || skip "there is no Python 3.10 or newer"
  install_tree "$1"
  # One wheel for one Python, and one for all since 3.12, made by the oldest of them and tested in the newest.
  first=${found[0]#* }
  builders=("$first $first")
  for name in "${found[@]}"; do
    python=${name#* }
    if [ "${name%% *}" = 3.10 ] || [ "${name%% *}" = 3.11 ]; then continue; fi
    last=${found[-1]#* }
    if [ "$python" != "$first" ]; then builders+=("$python $last"); else builders=("$python $last"); fi
    break
  done
  for name in "${builders[@]}"; do
    python=${name% *} last=${name#* }
    environment "$work/builder-$(version "$python")" "$python" nanobind scikit-build-core ||
      skip "$python has no nanobind and scikit-build-core, and they cannot be installed"
    made=$(make_wheel "$work/builder-$(version "$python")/bin/python")
    audit "$made"
    echo "== $(basename "$made") in Python $(version "$last")"
    try_wheel "$made" "$last"
  done
}

torch() {  # torch BUILD
  local python=${CAIRN_TORCH_PYTHON:-} made
  [ -d tests/python/torch ] || skip "there are no tests of PyTorch"
  install_tree "$1"
  if [ -z "$python" ]; then
    python=$work/torch/bin/python
    environment "$work/torch" "$(pythons | tail -n 1 | cut -d' ' -f2)" torch nanobind scikit-build-core numpy ml_dtypes \
      pytest expecttest setuptools || skip "torch cannot be installed: $(tail -n 1 "$work/log")"
  fi
  "$python" -c 'import torch' 2>"$work/log" || skip "torch does not import: $(tail -n 1 "$work/log")"
  "$python" -c 'import nanobind, scikit_build_core, pytest' 2>"$work/log" || skip "$(tail -n 1 "$work/log")"
  made=$(make_wheel "$python")
  audit "$made"
  [ -e "$work/unpacked/cairn/_torch_ops.so" ] || echo "without compiled operators: the wheel has those written in Python"
  export PYTHONPATH=$work/unpacked
  run_pytest "$python" tests/python/torch
  # Those that are written in Python, which are there where the compiled ones cannot be.
  CAIRN_TORCH_OPS=python run_pytest "$python" tests/python/torch/test_{products,epilogues,gradients,registration}.py
}

mkdir -p "$work"
case ${1:-}:$# in
  tree:3 | wheel:2 | torch:2) "$@" ;;
  *) usage ;;
esac
