#!/bin/sh
# read_ours.sh NODE PROGRAM SEED...: the second decoder reads what our encoder makes today, and has its state digests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
node=$1
program=$2
shift 2
frames=$(mktemp)
trap 'rm -f "$frames"' EXIT
for seed in "$@"; do
    "$program" "$seed" >"$frames"
    echo "seed $seed"
    "$node" "$here/../js/follow.mjs" <"$frames"
done
