#!/bin/sh
# with_gateway.sh GATEWAY HOST: HOST URL CA-FILE TOKEN-FILE against a gateway of its own.
# Nothing but the host's own words may appear: a library that prints fails here.
set -eu
gateway=$1
host=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/tickglass-guest.XXXXXX")
"$gateway" --sim --seed 7 --listen 127.0.0.1:0 --state-dir "$work/state" --port-file "$work/port" \
    >"$work/gateway.log" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

tries=0
until [ -s "$work/port" ]; do
    tries=$((tries + 1))
    if ! kill -0 "$pid" 2>/dev/null || [ "$tries" -gt 600 ]; then
        cat "$work/gateway.log"
        echo "the gateway did not listen"
        exit 1
    fi
    sleep 0.05
done
port=$(sed 's/.*://' "$work/port")
status=0
"$host" "wss://localhost:$port/tickglass" "$work/state/ca.pem" "$work/state/token" \
    >"$work/out" 2>"$work/err" || status=$?
cat "$work/out" "$work/err"
if [ "$status" = 0 ] && { [ -s "$work/err" ] || [ "$(wc -l <"$work/out")" != 1 ]; }; then
    echo "something printed into the host's output"
    status=1
fi
exit "$status"
