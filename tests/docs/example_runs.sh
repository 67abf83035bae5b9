#!/usr/bin/env bash
# example_runs.sh GATEWAY EXAMPLE: ten lines of a live price from a gateway of its own.
set -euo pipefail
work=$(mktemp -d "${TMPDIR:-/tmp}/tickglass-example.XXXXXX")
mkfifo "$work/log"
"$1" --sim --listen 127.0.0.1:0 --state-dir "$work/state" --port-file "$work/port" 2>"$work/log" &
gateway=$!
trap 'kill "$gateway" 2>/dev/null || true; wait "$gateway" 2>/dev/null || true; rm -rf "$work"' EXIT
# The gateway's own words say when it listens; they are read to the end so that it never blocks.
exec 3<"$work/log"
while read -r line <&3; do
    echo "$line"
    case $line in *serving*) break ;; esac
done
cat <&3 >/dev/null &
port=$(cat "$work/port")
"$2" "wss://localhost:$port/tickglass" "$work/state/ca.pem" "$(cat "$work/state/token")" | tee "$work/out"
[ "$(grep -cE '^[0-9]+: [0-9]+\.[0-9]+ LIVE$' "$work/out")" = 10 ]
