#!/bin/sh
# heed_ptxas.sh COMPILER ARGUMENTS...: runs it, and fails too where ptxas notes a "Potential Performance Loss". It says
# so at no level that a flag turns into an error.
log=$(mktemp) || exit 1
"$@" 2>"$log"
status=$?
cat "$log" >&2
if grep -q "Potential Performance Loss" "$log"; then
  echo "error: a kernel whose products ptxas runs one by one, or whose registers it does not move: see above" >&2
  status=1
fi
rm -f "$log"
exit $status
