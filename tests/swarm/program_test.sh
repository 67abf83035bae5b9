#!/usr/bin/env bash
# tickglass-swarm against a gateway: a small VPN loss, and the trace that the gateway's log gives.
#     program_test.sh SWARM GATEWAY
set -euo pipefail

swarm=$1
gateway=$2
folder=$(mktemp -d)
pid=''
trap '[ -z "$pid" ] || { kill "$pid" && wait "$pid" || true; }; rm -rf "$folder"' EXIT

fail() {
    printf 'program_test: %s\n' "$*" >&2
    cat "$folder/log" "$folder/out" >&2 || true
    exit 1
}

"$gateway" --listen 127.0.0.1:0 --port-file "$folder/port" --state-dir "$folder/state" \
    --tick-log "$folder/ticks" 2>"$folder/log" &
pid=$!
for _ in $(seq 600); do
    [ -s "$folder/port" ] && break
    kill -0 "$pid" || fail "the gateway did not start"
    sleep 0.05
done

"$swarm" --ca "$folder/state/ca.pem" --token-file "$folder/state/token" --clients 10 \
    --scenario vpn-loss --share 50 --within 1 --seconds 1 --json --write-trace "$folder/played" \
    "wss://127.0.0.1:$(cat "$folder/port")/tickglass" >"$folder/out" || fail "the swarm failed"

value() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$folder/out"; }
[ "$(value clients)" = 10 ] || fail "10 clients"
[ "$(value live)" = 10 ] || fail "all live at the end"
[ "$(value connects)" = 15 ] || fail "10 came, 5 came again"
[ "$(value regressions_seen)" = 0 ] || fail "no regression"
[ "$(value links_lost)" = 0 ] || fail "nothing was lost against the plan"
[ "$(value rows_seen)" -gt 0 ] || fail "rows"
[ "$(grep -c reset "$folder/played")" = 1 ] || fail "one reset was played"

"$swarm" reduce "$folder/log" --out "$folder/reduced" || fail "the log cannot be reduced"
# At least: on a loaded machine a good-bye may not be answered in time, and is a lost connection then.
[ "$(grep -c reset "$folder/reduced")" -ge 1 ] || fail "the gateway saw no reset"
# The two clients that looked into the directory, and all of the plan.
[ "$(grep -c connect "$folder/reduced")" = 17 ] || fail "the gateway saw 17 connects"
"$swarm" reduce "$folder/none" --out "$folder/reduced" 2>/dev/null && fail "a log that is not there"
exit 0
