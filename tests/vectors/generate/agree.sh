#!/bin/sh
# agree.sh NODE PROGRAM SEED COUNT: two decoders agree on damaged messages: valid or not, why, and where.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
damaged=$(mktemp)
trap 'rm -f "$damaged"' EXIT
"$1" "$here/damage.mjs" "$3" "$4" >"$damaged"
"$2" "$damaged"
