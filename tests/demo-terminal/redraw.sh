#!/bin/sh
# redraw.sh headless|window|killed TERMINAL GATEWAY TOOL OLDER_RECORD
# What a record has is drawn again: the pictures are those that the terminal wrote itself while it ran, byte for byte.
# headless: through keys, panels, sizes, letters, palettes. window: the same under Xvfb, and through the GPU's painter;
# skipped without Xvfb. killed: a terminal that was killed while it recorded, its file as it is and recovered.
set -eu
how=$1
terminal=$2
gateway=$3
tool=$4
older=$5
if [ "$how" = window ] && ! command -v Xvfb >/dev/null 2>&1; then
    echo "SKIPPED: there is no Xvfb"
    exit 77
fi
# shellcheck source=tests/demo-terminal/scratch_scene.sh
. "$(dirname "$0")/scratch_scene.sh"

# expect CODE OPTIONS...: of the tool that draws again; what it says is in out and err
expect() {
    code=$1
    shift
    status=0
    "$terminal" "$@" >out 2>err || status=$?
    [ "$status" = "$code" ] || fail "exit code $status, not $code: $*"
}

# says TEXT FILE
says() {
    grep -q -- "$1" "$2" || fail "\"$1\" is not in $2"
}

# run OPTIONS...: the terminal against the gateway
run() {
    "$terminal" --url "wss://127.0.0.1:$(cat port)/tickglass" --ca gw/ca.pem --token-file gw/token "$@"
}

# check_record RECORD COUNT (a pattern): every picture that the terminal wrote is drawn again from the record alone
check_record() {
    "$tool" cat --contains 'stands in the picture' "$1" >pictures
    count=0
    before=
    while read -r time _ _ _ pass number _ _ _ _ file; do
        [ "$pass" = pass ] || fail "not a line of a picture: $pass"
        expect 0 --redraw "$1" --pass "$number" --screenshot again.png
        cmp again.png "$file" || fail "pass $number is not $file"
        # The same by the time when it was taken.
        expect 0 --redraw "$1" --at "$time" --text
        says "^pass  *$number\$" out
        # Pictures differ from each other: the comparison can fail.
        [ -z "$before" ] || ! cmp -s again.png "$before" || fail "$file and $before are the same"
        before=$file
        count=$((count + 1))
    done <pictures
    # shellcheck disable=SC2254 # it is a pattern
    case $count in
    $2) ;;
    *) fail "$count pictures, not $2" ;;
    esac
}

"$gateway" --listen 127.0.0.1:0 --port-file port --state-dir gw >gateway.log 2>&1 &
pids=$!
wait_for "the gateway does not listen" test -s port

# Between two pictures there is always a key that changes something: prices need not have moved yet.
cat >steps <<'STEPS'
wait rows 20
wait text depth:
screenshot list.png
key Down
key Enter
key Tab
wait text LIVE
screenshot ladder.png
key Space
key F8
key F7
screenshot panels.png
key F10
key F4
screenshot latency.png
resize 1450x900
wait no-text no room
screenshot large.png
key Ctrl-+
key Ctrl-+
screenshot letters.png
key Ctrl-p
screenshot palette.png
type b
screenshot filter.png
key Esc
key F1
screenshot help.png
key F1
screenshot help2.png
key Esc
key Ctrl-0
resize 700x500
screenshot small.png
key Ctrl-p
key F2
wait text written: tickglass-
check
quit
STEPS
pictures=12

case $how in
headless)
    run --headless --seconds 600 --script steps --record one.tgrec --screenshot end.png 2>said || fail "the terminal ended with $?"
    check_record one.tgrec $((pictures + 1))
    # Without a word, the last one.
    expect 0 --redraw one.tgrec --screenshot again.png
    cmp again.png end.png || fail "the last picture is another one"
    printf '%s\n' 'wait rows 20' 'screenshot list.png' 'key F10' 'key Ctrl-+' 'screenshot large.png' quit >some
    run --headless --seconds 600 --script some --scale 1.5 --palette red-up --record two.tgrec 2>said || fail "the terminal ended with $?"
    check_record two.tgrec 2

    # F9 begins in the middle of what is on the glass.
    printf '%s\n' 'wait rows 20' 'key F9' 'wait text REC' 'key Down' 'screenshot f9.png' 'key F9' 'wait no-text REC' quit >f9
    run --headless --seconds 600 --script f9 2>said || fail "the terminal ended with $?"
    check_record "$(ls tickglass-*.tgrec)" 1

    # Ladders are in it: what was read back from each was fine, and as many as were judged.
    printf '%s\n' 'wait rows 20' 'wait text depth:' 'key F4' 'key F4' 'wait text depth:' quit >ladder
    run --headless --seconds 600 --script ladder --report report.json --record three.tgrec 2>said ||
        fail "the terminal ended with $?"
    "$tool" cat --contains 'checked depth of slot' three.tgrec >ladders
    says 'verdict 0$' ladders
    says "\"drawn_judged_depth\": $(wc -l <ladders)," report.json
    ! grep -qv 'verdict 0$' ladders || fail "a ladder was not fine"

    # The text of the picture, without a font.
    expect 0 --redraw one.tgrec --text
    says 'venue  *symbol  *bid' out
    says '^handed over  20..-..-..T..:..:..\..........Z, monotonic [0-9]* ns$' out
    says '^stood        until the record ended or longer' out
    first=$("$tool" cat --contains 'drew picture' one.tgrec | sed -n '1s/.* pass \([0-9]*\) drew.*/\1/p')
    expect 0 --redraw one.tgrec --pass "$first"
    says "^stood        [0-9.]* ms, until pass $((first + 1))\$" out

    # What is not there is refused, and why is said.
    expect 2 --redraw missing.tgrec
    says 'missing.tgrec: No such file' err
    expect 2 --redraw steps
    says 'steps: offset 0: the file is not a tickglass record' err
    expect 2 --redraw "$older"
    says 'no pictures are in this record' err
    expect 2 --redraw one.tgrec --pass 99999999
    says 'it has no pass 99999999: the one before is pass' err
    expect 2 --redraw one.tgrec --at 2020-02-29T12:00:00Z
    says 'the record is of another time: from 20..-' err
    expect 2 --redraw one.tgrec --at 12:00:00
    says 'the zone is missing' err
    expect 2 --redraw one.tgrec --at tomorrow
    says 'not a time' err
    bold=$(fc-list 2>/dev/null | sed -n 's/^\(.*DejaVuSansMono-Bold.ttf\):.*/\1/p' | head -n 1)
    if [ -n "$bold" ]; then
        expect 2 --redraw one.tgrec --font "$bold" --screenshot again.png
        says 'it was drawn in other fonts' err
    fi
    expect 4 --redraw one.tgrec --screenshot no/folder.png
    says 'no/folder.png: No such file' err
    ;;
window)
    mkfifo display
    Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp -noreset 3>display 2>/dev/null &
    pids="$pids $!"
    read -r screen <display
    # Sizes and letters are what a window may do otherwise; the rest is headless the same.
    printf '%s\n' 'wait rows 20' 'screenshot list.png' 'key Enter' 'key F7' 'screenshot panels.png' 'resize 1450x900' \
        'wait no-text no room' 'screenshot large.png' 'key Ctrl-+' 'screenshot letters.png' 'resize 700x500' \
        'screenshot small.png' 'key Ctrl-p' 'key F2' 'wait text written: tickglass-' check quit >some
    for renderer in surface gpu; do
        DISPLAY=:$screen SDL_VIDEODRIVER=x11 SDL_RENDER_DRIVER=software XDG_CONFIG_HOME="$dir/config" \
            run --seconds 600 --state "$renderer.state" --renderer "$renderer" --script some --record "$renderer.tgrec" 2>said ||
            fail "the terminal ended with $?"
        check_record "$renderer.tgrec" 6
        rm -f ./*.png
    done
    ;;
killed)
    sed '/^screenshot letters.png/q' steps >some
    echo 'wait text never' >>some
    # Not by run: what is killed must be the terminal, not a shell that waits for it.
    "$terminal" --url "wss://127.0.0.1:$(cat port)/tickglass" --ca gw/ca.pem --token-file gw/token \
        --headless --seconds 600 --script some --record one.tgrec 2>said &
    shown=$!
    pids="$pids $shown"
    wait_for "the script did not come to its end" test -s letters.png
    kill -9 "$shown"
    wait "$shown" 2>/dev/null || true
    "$tool" recover one.tgrec >out 2>&1 || fail "recover ended with $?"
    rings=$(sed -n 's/^the rings can go now: //p' out)
    [ -n "$rings" ] || fail "the terminal was not killed"
    rm "$rings"
    check_record one.tgrec.recovered '[56]' # the last picture may be there, and its record not yet
    # The file alone, too, up to where it goes; that it has no end is said.
    expect 0 --redraw one.tgrec --pass "$(sed -n 's/.* pass \([0-9]*\) stands in the picture list.png/\1/p' pictures)" \
        --screenshot again.png
    cmp again.png list.png || fail "the file alone gives another picture"
    says 'one.tgrec: not closed in order' err
    # Torn in the middle of a block.
    size=$(wc -c <one.tgrec.recovered)
    head -c $((size * 2 / 3)) one.tgrec.recovered >torn.tgrec
    expect 0 --redraw torn.tgrec --screenshot again.png
    says 'torn.tgrec: offset [0-9]*: the file ends in the middle of a block, [0-9]* bytes' err
    ;;
esac
