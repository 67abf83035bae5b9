#!/bin/sh
# recording_keys.sh TERMINAL GATEWAY TOOL
# A real window: F9 begins a recording, F10 calls the latencies up, F9 ends it, and once more; then Ctrl-Q.
# Skipped without Xvfb or xdotool.
set -eu
terminal=$1
gateway=$2
tool=$3
for needed in Xvfb xdotool; do
    command -v "$needed" >/dev/null 2>&1 || {
        echo "SKIPPED: there is no $needed"
        exit 77
    }
done
# shellcheck source=tests/demo-terminal/scratch_scene.sh
. "$(dirname "$0")/scratch_scene.sh"

count_is() {
    [ "$(find . -maxdepth 1 -name 'tickglass-*.tgrec' | wc -l)" = "$1" ]
}

second_file() {
    count_is 2 || {
        xdotool key F9
        false
    }
}

all_closed() {
    [ "$("$tool" verify tickglass-*.tgrec | grep -c 'closed in order')" = "$1" ]
}

says() {
    "$tool" cat tickglass-*.tgrec | grep -q "$1"
}

"$gateway" --listen 127.0.0.1:0 --port-file port --state-dir gw >gateway.log 2>&1 &
pids=$!
mkfifo display
Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -noreset 3>display 2>/dev/null &
pids="$pids $!"
read -r number <display
DISPLAY=:$number
export DISPLAY SDL_VIDEODRIVER=x11 XDG_CONFIG_HOME="$dir/config"
wait_for "the gateway does not listen" test -s port
"$terminal" --url "wss://127.0.0.1:$(cat port)/tickglass" --ca gw/ca.pem --token-file gw/token \
    --size 1280x720 --seconds 120 2>said &
shown=$!
pids="$pids $shown"
wait_for "there is no window" xdotool search --name tickglass

xdotool key F9
wait_for "F9 began no file" count_is 1
wait_for "no version was recorded" says ' shows slot '
xdotool key F10
wait_for "the panel is not in the file" says 'list from .* panels 79 '
says 'list from .* panels 15 ' || fail "the panels before are not in the file"
xdotool key F9
wait_for "F9 ended no file" all_closed 1
# Until the first one is told to be done, the key says that it is not.
wait_for "F9 began no second file" second_file
xdotool key ctrl+q
status=0
wait "$shown" || status=$?
[ "$status" = 0 ] || fail "the terminal ended with $status"
[ ! -s said ] || fail "it said something"
all_closed 2 || fail "a file is not closed"
"$tool" hist tickglass-*.tgrec | grep -q '^terminal_received_to_handed ' || fail "no histogram"
