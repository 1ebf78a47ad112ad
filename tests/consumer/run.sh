#!/usr/bin/env bash
# run.sh BUILD WORK CMAKE CXX CC: install Cairn from BUILD, move the install tree elsewhere, build a C++ program
# (find_package) and a C program (pkg-config) against it, and run both. Moving it first proves that no file of
# the package remembers where it was installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 work=$2 cmake=$3 cxx=$4 cc=$5

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved

if grep -rIl -e "$work/first" -e "$build" "$prefix"; then
  echo "consumer_test: the files above hold absolute paths" >&2
  exit 1
fi

echo "== C++, find_package(cairn)"
"$cmake" -S "$here/cxx" -B "$work/cxx" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/cxx.log" || { cat "$work/cxx.log"; exit 1; }
"$cmake" --build "$work/cxx" >>"$work/cxx.log" || { cat "$work/cxx.log"; exit 1; }
"$work/cxx/multiply"

echo "== C, pkg-config cairn"
pc=$(dirname "$(find "$prefix" -name cairn.pc)")
make -s -C "$here/c" OUT="$work/c" CC="$cc" PKG_CONFIG_PATH="$pc"
LD_LIBRARY_PATH=$(dirname "$pc") "$work/c/multiply"

if [ -x "$prefix/bin/cairn" ]; then
  echo "== the installed command"
  "$prefix/bin/cairn" --version
fi
