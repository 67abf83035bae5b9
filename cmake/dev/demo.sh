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

# demo_summary FILE: a report as lines "name value"; the members of a nested object share one line
demo_summary() {
    awk '
    { text = text $0 " " }
    function pair_end(    at, value) {
        at = index(pair, ":")
        if (at > 0) {
            value = substr(pair, at + 1)
            gsub(/^ +| +$|"/, "", value)
            name = substr(pair, 1, at - 1)
            gsub(/[ "]/, "", name)
            if (value != "" && depth == 1) { printf "  %-24s %s\n", name, value }
            if (value != "" && depth > 1) { row[depth] = row[depth] name " " value "  " }
        }
        pair = ""
    }
    END {
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (c == "\"") { quoted = !quoted }
            if (quoted || c !~ /[{},]/) { pair = pair c; continue }
            pair_end()
            if (c == "{") {
                title[++depth] = (depth > 2 ? title[depth - 1] "." : "") name
                row[depth] = ""
            } else if (c == "}") {
                if (row[depth] != "") { printf "  %-24s %s\n", title[depth], row[depth] }
                depth--
            }
        }
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
    configure_and_build release

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
        say "out/demo/report.json:"
        demo_summary out/demo/report.json
    fi
    [ ! -f out/demo/terminal.png ] || say "picture: out/demo/terminal.png"
    return $status
}
