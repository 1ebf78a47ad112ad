#!/usr/bin/env bash
# setup.sh [--check] [build] [test] [fuzz] [lint] [python]
#
# Makes sure that what Cairn needs is here, and installs what is missing from the distribution's packages
# (Debian 12, Ubuntu 24.04; as root or through sudo without a password). Name one or more kinds of work to
# look at those alone; all of them otherwise. --check installs nothing: it tells what is there and what is
# missing, and exits 1 if something required is missing.
#
# python, which is optional, is what builds and tests the Python package: the system's python3 if it has it all, else
# build/venv, a virtual environment that pip fills.
#
# A thing counts as present when it can be used, whoever put it there; the package manager is only asked to
# install. So where nothing can be installed but everything is there, this succeeds at once.
set -euo pipefail
cd "$(dirname "$0")/.."

# work      need      name          package               used for
parts='
build       required  g++           g++                   the C++20 compiler, version 12 or newer
build       required  make          make                  the targets of the Makefile
build       required  cmake         cmake                 the build, version 3.25 or newer
build       required  ninja         ninja-build           the build
build       required  pkg-config    pkg-config            finding OpenBLAS, and the C consumer
build       required  openblas      libopenblas-dev       the fast CPU backend
build       required  cli11         libcli11-dev          the cairn command
build       required  fmt           libfmt-dev            the cairn command
build       required  json          nlohmann-json3-dev    the cairn command
build       optional  boost         libboost-context-dev  a faster emulator (it works without)
test        required  gtest         libgtest-dev          the tests
test        required  nm            binutils              reading the symbol table
test        optional  patch         patch                 holding cairn diff --raw to be a patch
test        optional  zsh           zsh                   trying its completion
test        optional  fish          fish                  trying its completion
test        optional  groff         groff-base            checking the man pages
fuzz        optional  clang++       clang                 the fuzz targets
fuzz        optional  libfuzzer     libclang-rt-dev       the fuzz targets
lint        optional  clang-format  clang-format          make format, make lint
lint        optional  clang-tidy    clang-tidy            make lint
lint        optional  shellcheck    shellcheck            make lint
'

usage() {
  echo "usage: scripts/setup.sh [--check] [build] [test] [fuzz] [lint] [python]" >&2
  exit 2
}

check_only=no
wanted=""
for argument in "$@"; do
  case $argument in
    --check) check_only=yes ;;
    build | test | fuzz | lint | python) wanted="$wanted $argument" ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument'" >&2; usage ;;
  esac
done
[ -n "$wanted" ] || wanted="build test fuzz lint python"
# Testing begins with building.
case $wanted in *test*) wanted="build $wanted" ;; esac

at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }  # at_least MINIMUM VERSION

# One run of the preprocessor tells which headers the compiler can see.
headers=""
find_headers() {
  headers=$(printf '#if __has_include(<%s>)\nhave_%s\n#endif\n' \
    CLI/CLI.hpp cli11 fmt/format.h fmt nlohmann/json.hpp json gtest/gtest.h gtest cblas.h cblas |
    g++ -std=c++20 -E -P -x c++ - 2>/dev/null) || headers=""
}

is_present() {
  case $1 in
    g++) command -v g++ >/dev/null && at_least 12 "$(g++ -dumpversion)" ;;
    cmake) command -v cmake >/dev/null && at_least 3.25 "$(cmake --version | sed -n '1s/[^0-9]*//p')" ;;
    # Other BLASes have a cblas.h too: the library counts.
    openblas)
      pkg-config --exists openblas 2>/dev/null ||
        { [[ $headers == *have_cblas* ]] && [ "$(g++ -print-file-name=libopenblas.so)" != libopenblas.so ]; }
      ;;
    cli11 | fmt | json | gtest) [[ $headers == *have_$1* ]] ;;
    boost) [ "$(g++ -print-file-name=libboost_context.so 2>/dev/null)" != libboost_context.so ] ;;
    libfuzzer)
      command -v clang++ >/dev/null &&
        [ -n "$(find "$(clang++ -print-resource-dir)/lib" -name 'libclang_rt.fuzzer*.a' -print -quit 2>/dev/null)" ]
      ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# libFuzzer's package carries clang's version in its name.
package_of() {
  if [ "$1" != libclang-rt-dev ]; then
    echo "$1"
    return
  fi
  local major=14
  if command -v clang++ >/dev/null; then
    major=$(clang++ -dumpversion | cut -d. -f1)
  elif grep -q '^VERSION_ID="24.04"' /etc/os-release 2>/dev/null; then
    major=18
  fi
  echo "libclang-rt-$major-dev"
}

look() {  # fills missing_required and missing_optional with package names
  missing_required="" missing_optional=""
  find_headers
  local work need name package purpose state
  while read -r work need name package purpose; do
    [ -n "$work" ] || continue
    [[ " $wanted " == *" $work "* ]] || continue
    state=present
    if ! is_present "$name"; then
      state=MISSING
      package=$(package_of "$package")
      if [ "$need" = required ]; then
        missing_required="$missing_required $package"
      else
        missing_optional="$missing_optional $package"
      fi
    fi
    if [ "$check_only" = yes ]; then
      printf '%-8s %-9s %-13s %-20s %s\n' "$state" "$need" "$name" "$package" "$purpose"
    fi
  done <<<"$parts"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

# Never asks a question, and gives up soon where there is no network.
log=build/setup.log
install() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 1
  local options=(-q -o Acquire::Retries=1 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15
    -o DPkg::Lock::Timeout=120)
  echo "setup.sh: installing $* (log: $log)" >&2
  mkdir -p build
  {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" update &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -y --no-install-recommends install "$@"
  } </dev/null >"$log" 2>&1
}

# The package's build and its tests. What the tests can do without (ml_dtypes, matplotlib, mypy) is not asked for here.
has_python() { command -v "$1" >/dev/null && "$1" -c 'import nanobind, numpy, pytest' 2>/dev/null; }
setup_python() {
  local venv=build/venv
  if has_python python3 || has_python $venv/bin/python; then
    [ "$check_only" = no ] || echo "present  optional  python        nanobind numpy pytest  the Python package"
    return
  fi
  if [ "$check_only" = yes ]; then
    echo "MISSING  optional  python        nanobind numpy pytest  the Python package (setup.sh python makes $venv)"
    return
  fi
  [ -e build/.setup-tried-python ] && return  # make clean forgets
  echo "setup.sh: making $venv for the Python package (log: $log)" >&2
  mkdir -p build
  if python3 -m venv $venv >>"$log" 2>&1 && $venv/bin/pip install --no-input --retries 1 --timeout 15 \
    nanobind scikit-build-core numpy ml_dtypes matplotlib pytest mypy >>"$log" 2>&1; then
    return
  fi
  touch build/.setup-tried-python
  echo "setup.sh: optional and missing: Python's nanobind, numpy and pytest; the Python package is left out" >&2
}

if [[ " $wanted " == *" python "* ]]; then setup_python; fi
look
if [ "$check_only" = yes ]; then
  if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    echo "present  optional  CUDA toolkit"
  else
    echo "MISSING  optional  CUDA toolkit  (from NVIDIA, 12.8 or newer; Cairn builds for the CPU without it)"
  fi
  [ -z "$missing_required" ]
  exit
fi

# Optional parts are asked for once: on a machine that cannot have them, a second try would only cost time.
# (`make clean` forgets.)
tried=build/.setup-tried
if [ -z "$missing_required" ] && [ -n "$missing_optional" ] && grep -qsxF "$missing_optional" "$tried"; then
  exit 0
fi
if [ -n "$missing_required$missing_optional" ]; then
  # shellcheck disable=SC2086  # the lists are words on purpose
  install $missing_required $missing_optional || [ -z "$missing_required" ] || install $missing_required || true
  look
fi
if [ -n "$missing_required" ]; then
  if [ -f "$log" ]; then tail -n 5 "$log" >&2; fi
  echo "setup.sh: required and missing, and could not be installed:$missing_required" >&2
  exit 1
fi
if [ -n "$missing_optional" ]; then
  echo "setup.sh: optional and missing:$missing_optional; what needs them is skipped" >&2
  mkdir -p build
  echo "$missing_optional" >>"$tried"
fi
