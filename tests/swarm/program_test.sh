#!/usr/bin/env bash
# tickglass-swarm against gateways: a small VPN loss, the trace that the gateway's log gives of it,
# the same played again from that trace, and a deploy.
#     program_test.sh SWARM GATEWAY
set -euo pipefail

swarm=$1
gateway=$2
folder=$(mktemp -d)
pid=''
swarm_pid=''
trap 'kill $swarm_pid $pid || true; wait; rm -rf "$folder"' EXIT

fail() {
    printf 'program_test: %s\n' "$*" >&2
    cat "$folder/log" "$folder/out" >&2 || true
    exit 1
}

# start_gateway LISTEN OPTIONS...
start_gateway() {
    local listen=$1
    shift
    rm -f "$folder/port"
    "$gateway" --listen "$listen" --port-file "$folder/port" --state-dir "$folder/state" "$@" \
        2>"$folder/log" &
    pid=$!
    for _ in $(seq 600); do
        [ -s "$folder/port" ] && break
        kill -0 "$pid" || fail "the gateway did not start"
        sleep 0.05
    done
    port=$(cat "$folder/port")
    url="wss://127.0.0.1:$port/tickglass"
}

how=(--ca "$folder/state/ca.pem" --token-file "$folder/state/token" --json)
play() { "$swarm" "${how[@]}" "$@" "$url"; }
value() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$folder/out"; }
events() { grep -c "$1" "$2" || true; }

# Waits until the gateway's log has so many lines of that: await_log COUNT PATTERN WHAT
await_log() {
    for _ in $(seq 1200); do
        [ "$(events "$2" "$folder/log")" -ge "$1" ] && return
        kill -0 "$pid" || fail "the gateway has ended; $3"
        sleep 0.05
    done
    fail "$3"
}

start_gateway 127.0.0.1:0 --tick-log "$folder/ticks"
play --clients 10 --scenario vpn-loss --share 50 --within 1 --seconds 1 \
    --write-trace "$folder/played" >"$folder/out" || fail "the swarm failed"
[ "$(value clients)" = 10 ] || fail "10 clients"
[ "$(value live)" = 10 ] || fail "all live at the end"
[ "$(value connects)" = 15 ] || fail "10 came, 5 came again"
[ "$(value regressions_seen)" = 0 ] || fail "no regression"
[ "$(value links_lost)" = 0 ] || fail "nothing was lost against the plan"
[ "$(value rows_seen)" -gt 0 ] || fail "rows"
[ "$(value received)" -gt 0 ] || fail "rows in the stores' ledgers"
[ "$(events reset "$folder/played")" = 1 ] || fail "one reset was played"

"$swarm" reduce "$folder/log" --out "$folder/reduced" || fail "the log cannot be reduced"
# At least: on a loaded machine a good-bye may not be answered in time, and is a lost connection then.
resets=$(events reset "$folder/reduced")
[ "$resets" -ge 1 ] || fail "the gateway saw no reset"
# The two clients that looked into the directory, and all of the plan.
[ "$(events connect "$folder/reduced")" = 17 ] || fail "the gateway saw 17 connects"
"$swarm" reduce "$folder/none" --out "$folder/again" 2>/dev/null && fail "a log that is not there"

# Once more from the trace that the log gave, without the two, which only looked.
{ head -n 1 "$folder/reduced" && tail -n +6 "$folder/reduced"; } >"$folder/trace"
[ "$(events connect "$folder/trace")" = 15 ] || fail "the first two came and went alone"
lines=$(wc -l <"$folder/log")
play --trace "$folder/trace" --seconds 1 --write-trace "$folder/played" >"$folder/out" ||
    fail "the trace cannot be played"
[ "$(value connects)" = 15 ] || fail "all of the trace came"
[ "$(value links_lost)" = 0 ] || fail "nothing was lost against the trace"
cmp -s "$folder/trace" "$folder/played" || fail "what was played is not what the trace says"
tail -n "+$((lines + 1))" "$folder/log" >"$folder/log.again"
"$swarm" reduce "$folder/log.again" --out "$folder/again" || fail "the second log cannot be reduced"
[ "$(events connect "$folder/again")" = 17 ] || fail "the gateway saw 17 connects of the trace"
[ "$(events reset "$folder/again")" -ge "$resets" ] || fail "the gateway saw fewer resets"

code=0
play --trace "$folder/none" >"$folder/out" 2>"$folder/error" || code=$?
[ "$code" = 1 ] || fail "exit code $code for a trace that is not there"
grep -q "$folder/none" "$folder/error" || fail "the trace that is not there is not named"
kill "$pid"
wait "$pid" || fail "the gateway did not end well"
pid=''

# A deploy: ten come, the gateway is drained, another takes its place, and all ten come back.
start_gateway 127.0.0.1:0 --drain-interval-ms 50
"$swarm" "${how[@]}" --clients 10 --scenario deploy --within 1 --seconds 120 "$url" \
    >"$folder/out" &
swarm_pid=$!
await_log 12 ': open, ' "ten and the two that look into the directory have not come"
await_log 2 ' messages, ' "the two have not gone"
"$gateway" drain --state-dir "$folder/state" --wait >"$folder/drain" || fail "the drain failed"
wait "$pid" || fail "the drained gateway's exit code is $?"
pid=''
grep -q "drained 10 connections in .*, 0 had to be cut" "$folder/log" || fail "ten were not drained"
start_gateway "127.0.0.1:$port"
await_log 10 ': open, ' "the ten have not come back"
# By the time that another one has seen a second of the market, they are live.
play --clients 1 --within 1 --seconds 1 >"$folder/other" || fail "one more"
kill -INT "$swarm_pid"
wait "$swarm_pid" || fail "the swarm failed in the deploy"
swarm_pid=''
[ "$(value live)" = 10 ] || fail "all live after the deploy"
[ "$(value connects)" = 20 ] || fail "each came twice"
[ "$(value reconnects)" = 10 ] || fail "each came back once"
[ "$(value links_lost)" = 10 ] || fail "each lost its link once"
[ "$(value regressions_seen)" = 0 ] || fail "a price went back in the deploy"
exit 0
