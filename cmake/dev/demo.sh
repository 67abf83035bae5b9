# shellcheck shell=bash
# ./dev demo: a gateway and a terminal, and a report that can be read. Sourced by ./dev.

demo_gateway=''
demo_terminal=''

# Both programs are ours to end: by their own ids, whichever way the demo ends.
demo_stop() {
    local pid
    for pid in $demo_terminal $demo_gateway; do
        kill -TERM "$pid" 2>/dev/null || continue
        wait "$pid" 2>/dev/null || true
    done
    demo_gateway='' demo_terminal=''
}

# demo_wait_for_port FILE: the port that the gateway has written, once it listens
demo_wait_for_port() {
    local deadline=$((SECONDS + 30))
    until [ -s "$1" ]; do
        kill -0 "$demo_gateway" 2>/dev/null || die "the gateway ended before it listened; its words stand above"
        [ $SECONDS -lt $deadline ] || die "the gateway did not listen within 30 s"
        sleep 0.05
    done
    sed 's/.*://' "$1"
}

# demo_summary FILE: what the report says, in a few lines for people
demo_summary() {
    awk '
    # One member of the object on this line: {"p50": 1, "p99": 2}
    function member(name) {
        return match($0, "\"" name "\": *[-0-9.]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : 0
    }
    function latency(what) {
        return sprintf("  %-38s p50 %.2f   p99 %.2f   p99.9 %.2f   max %.2f ms\n", what,
            member("p50") / 1000, member("p99") / 1000, member("p999") / 1000, member("max") / 1000)
    }
    match($0, /^ *"[a-z_]+": *-?[0-9.]+/) {
        split(substr($0, RSTART, RLENGTH), parts, /[": ]+/)
        value[parts[2]] = parts[3]
    }
    /"handoff_us"/ { handoff = latency("received to the window system") }
    /"tick_to_glass_us"/ { glass = latency("exchange time to the window system") }
    END {
        printf "  %d instruments for %.1f s: %d frames, %d rows for %d ticks, %.1f kB\n", value["instruments"],
            value["seconds"], value["frames"], value["ticks_admitted"], value["covered_ticks"], value["bytes"] / 1000
        printf "  gaps %d, resyncs %d, reconnects %d; refused: %d older, %d of an older epoch; %d confirmed\n",
            value["gaps"], value["resyncs"], value["reconnects"], value["rejected_regression"],
            value["rejected_epoch"], value["rejected_duplicate"]
        printf "  drawn regressions %d, drawn but unknown %d (%d rows judged by the tape, %d by version)\n",
            value["drawn_regressions"], value["drawn_unknown"], value["drawn_judged_by_tape"],
            value["drawn_judged_by_version"]
        printf "%s%s", handoff, glass
        printf "  terminal: %d ms of CPU, %.1f %% of a core, %.1f MB\n", value["cpu_ms"],
            (value["seconds"] > 0 ? value["cpu_ms"] / value["seconds"] / 10 : 0), value["rss_kb"] / 1000
    }' "$1"
}

command_demo() {
    local headless='' seconds='' tape='' port_file=out/demo/port more=()
    while [ $# -gt 0 ]; do
        case "$1" in
        --headless) headless=yes ;;
        --seconds) seconds=${2:?--seconds N} && shift ;;
        --tape) tape=${2:?--tape FILE} && shift ;;
        --port-file) port_file=${2:?--port-file FILE} && shift ;;
        --)
            shift
            more=("$@")
            break
            ;;
        *) die "demo does not know $1 (see ./dev help)" ;;
        esac
        shift
    done
    [ -z "$tape" ] || [ -r "$tape" ] || die "the tape $tape cannot be read"
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=yes
    configure_and_build release "" tickglass-gateway tickglass-terminal

    local gateway terminal state=out/demo/state
    gateway=$(find_program release tickglass-gateway)
    terminal=$(find_program release tickglass-terminal)
    mkdir -p out/demo
    (umask 077 && mkdir -p "$state")
    rm -f "$port_file" out/demo/report.json out/demo/terminal.png

    local market=(--sim) options=(--report out/demo/report.json --screenshot out/demo/terminal.png)
    if [ -n "$tape" ]; then
        market=(--tape "$tape")
        options+=(--check-tape "$tape")
    fi
    [ -z "$headless" ] || options+=(--headless --seconds "${seconds:-10}")
    [ -n "$headless" ] || [ -z "$seconds" ] || options+=(--seconds "$seconds")

    trap demo_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    "$gateway" "${market[@]}" --listen 127.0.0.1:0 --state-dir "$state" --port-file "$port_file" &
    demo_gateway=$!
    local port
    port=$(demo_wait_for_port "$port_file")
    say "gateway listens on port $port, the terminal starts${headless:+ without a window for ${seconds:-10} s}"
    # In the background and waited for, so that a signal to this script is acted upon at once.
    "$terminal" --url "wss://localhost:$port/tickglass" --ca "$state/ca.pem" --token-file "$state/token" \
        "${options[@]}" "${more[@]}" &
    demo_terminal=$!
    local status=0
    wait "$demo_terminal" || status=$?
    demo_terminal=''
    demo_stop
    if [ -f out/demo/report.json ]; then
        demo_summary out/demo/report.json
        say "report: out/demo/report.json"
    fi
    [ ! -f out/demo/terminal.png ] || say "picture: out/demo/terminal.png"
    return $status
}
