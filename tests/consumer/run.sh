#!/usr/bin/env bash
# run.sh BUILD WORK CMAKE CXX CC: install Cairn from BUILD, move the install tree elsewhere, build a C++ program
# (find_package) and a C program (pkg-config) against it, and run both; then the README's example where there is a CUDA
# toolkit, and the example with a kernel of its own on the emulator. Moving the install tree first proves that no file
# of the package remembers where it was installed.
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

echo "== examples/gemm, on a GPU"
if [ "$("$here/../../scripts/preset.sh" test)" = release ]; then
  "$cmake" -S "$here/../../examples/gemm" -B "$work/gemm" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/gemm.log" || { cat "$work/gemm.log"; exit 1; }
  "$cmake" --build "$work/gemm" >>"$work/gemm.log" || { cat "$work/gemm.log"; exit 1; }
  code=0
  "$work/gemm/gemm" | tee "$work/gemm.txt" || code=$?
  if [ $code = 77 ]; then
    echo "compiled, not run"
  elif [ $code != 0 ] || [ "$(cat "$work/gemm.txt")" != "C[0] = 4096" ]; then
    exit 1
  fi
else
  echo "not compiled: there is no CUDA toolkit here"
fi

echo "== examples/own_kernel, cairn_add_emulated_kernel"
example=$(cd "$here/../../examples/own_kernel" && pwd)
"$cmake" -S "$example" -B "$work/own" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/own.log" || { cat "$work/own.log"; exit 1; }
"$cmake" --build "$work/own" >>"$work/own.log" || { cat "$work/own.log"; exit 1; }
"$work/own/run"
"$work/own/watch" | tee "$work/own.txt"
# 60 blocks of 4 warps. A line of 132 elements takes 5 loads, the weights 1: 360, each of them stored once. 20 rows of
# 300 outputs are 200 stores, and every one takes 10 shared loads, 5 of the line and 5 of the weights.
for line in 'global loads *360 requests' 'global stores *200 requests' 'shared loads *2000 requests' \
            'shared stores *360 requests' 'barriers 60' '^  kernel.cu:[0-9]*: [0-9]* sectors' 'detectors found nothing'; do
  grep -q "$line" "$work/own.txt" || { echo "consumer_test: no '$line' in the report above" >&2; exit 1; }
done

if [ -x "$prefix/bin/cairn" ]; then
  echo "== the installed command"
  "$prefix/bin/cairn" --version
  (cd "$example" && "$prefix/bin/cairn" trace kernel.cu --kernel 'smooth_rows<float, 2>' --grid 3,20 --block 128 \
    --shared 528 --arg 'f32[300x20]=random' --arg 'f32[5]=0.2' --arg 'f32[300x20]' --arg 300 --arg 20) >"$work/own.txt"
  grep -E -q '^global load requests +360$' "$work/own.txt" || { cat "$work/own.txt"; exit 1; }
  # Sources and pages come along. The words appended to a file prove that it is the installed one which is read.
  sed -i 's|^.*\<acc += .*$|&  // installed|' "$prefix/share/cairn/kernels/simt/02_coalesced.cu"
  (cd "$work" && "$prefix/bin/cairn" trace simt/02 --shape 32 --lines) >"$work/lines.txt"
  grep -q 'acc += .*// installed' "$work/lines.txt" || { cat "$work/lines.txt"; exit 1; }
  echo 'int installed_line;' >>"$prefix/share/cairn/kernels/simt/02_coalesced.cu"
  (cd "$work" && "$prefix/bin/cairn" diff simt/02) >"$work/diff.txt"
  grep -q '^+.*installed_line' "$work/diff.txt" || { cat "$work/diff.txt"; exit 1; }
  (cd "$work" && "$prefix/bin/cairn" report "$prefix/share/cairn/results/h200/ladder.json") >"$work/report.txt"
  for file in man/man1/cairn.1 man/man1/cairn-bench.1 bash-completion/completions/cairn zsh/site-functions/_cairn \
              fish/vendor_completions.d/cairn.fish; do
    [ -s "$prefix/share/$file" ] || { echo "consumer_test: no share/$file" >&2; exit 1; }
  done
  for file in docs/ladder.md docs/trail/README.md README.md results/h200/ladder.json kernels/hopper/59_summit.cu; do
    [ -f "$prefix/share/doc/cairn/$file" ] || { echo "consumer_test: share/doc/cairn/$file leads nowhere" >&2; exit 1; }
  done
  # What the installed command compiles with comes from beside it, not from the tree it was built in.
  mv "$prefix"/lib*/libcairn_emu_own.a "$work/away.a" 2>/dev/null || mv "$prefix"/lib/*/libcairn_emu_own.a "$work/away.a"
  code=0
  "$prefix/bin/cairn" trace "$example/kernel.cu" --kernel 'smooth_rows<float, 2>' --grid 1 --block 32 2>"$work/own.txt" ||
    code=$?
  if [ $code != 77 ] || ! grep -q "need $prefix/.*libcairn_emu_own.a, which is not there" "$work/own.txt"; then
    cat "$work/own.txt"
    exit 1
  fi
fi
