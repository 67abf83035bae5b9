#!/bin/sh
# tickglass_log_live.sh TOOL RECORD_LINES
# The tool on files that are being written, rotated, deleted, large or left behind by the dead.
set -eu
tool=$1
record=$2
dir=$(mktemp -d)
tail=
# shellcheck disable=SC2086 # none, or one
trap '[ -z "$tail" ] || kill $tail 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
mkfifo lines done_with shown

fail() {
    echo "FAILED: $1"
    exit 1
}

# say LINE: recorded, and in the file
say() {
    echo "$1" >&3
    read -r _ <&5 || fail "the recorder ended at $1"
}

# start_recorder PATH ROTATE_BYTES KEEP_FILES: takes lines on descriptor 3
start_recorder() {
    "$record" "$@" <lines >done_with &
    recorder=$!
    exec 3>lines 5<done_with
}

stop_recorder() {
    exec 3>&-
    wait "$recorder"
    exec 5<&-
}

# follow [-f] FILE: what tail shows comes on descriptor 4. It must not keep the recorder's pipe open.
follow() {
    "$tool" tail "$@" >shown 2>err 3>&- 5<&- &
    tail=$!
    exec 4<shown
}

# shows WORD: the next line of tail ends so
shows() {
    read -r line <&4 || fail "tail ended before $1"
    case $line in
    *" $1") ;;
    *) fail "tail shows $line instead of $1" ;;
    esac
}

# ends_well: tail's output and tail are over
ends_well() {
    [ -z "$(cat <&4)" ] || fail "tail shows more"
    exec 4<&-
    wait "$tail" || fail "tail ends with $?"
    tail=
}

# is_silent: nothing in ./err, but what a busy machine adds: notes on slow writes
is_silent() {
    ! grep -v 'writes took long' err >/dev/null
}

# A growing file: what is there, then each record when it comes.
start_recorder grow.tgrec 0 0
say first
follow -f grow.tgrec
shows first
for word in second third fourth; do
    say "$word"
    shows "$word"
done
stop_recorder
ends_well

# Each record in a file of its own; a name in between is another program's.
echo "not a record" >turn.tgrec.4
start_recorder turn.tgrec 1 0
say first
follow -f turn.tgrec
shows first
for word in second third fourth fifth sixth; do
    say "$word"
    shows "$word"
done
stop_recorder
ends_well
[ -e turn.tgrec.7 ] || fail "no rotation"
[ "$(cat turn.tgrec.4)" = "not a record" ] || fail "another program's file was touched"
is_silent || fail "tail complains: $(cat err)"

# Files deleted while they are followed: nothing shown twice, what is missing is told.
start_recorder gone.tgrec 1 1
say first
follow gone.tgrec.1
shows first
kill -STOP "$tail"
for word in second third fourth fifth; do
    say "$word"
done
kill -CONT "$tail"
shows fourth
shows fifth
stop_recorder
ends_well
grep -q 'files between it and gone.tgrec.4 are gone' err || fail "missing files are told: $(cat err)"
[ ! -e gone.tgrec ] || fail "keep_files"
[ ! -e gone.tgrec.2 ] || fail "keep_files"
"$tool" verify gone.tgrec.5 gone.tgrec.6 >out 2>err || fail "verify of what is left"
[ "$(grep -c 'closed in order' out)" = 2 ] || fail "rotated files are closed in order"
grep -q 'oldest files were deleted' err || fail "deleted files are told"

# After death: from any file of the row, all of it and the rings.
start_recorder dead.tgrec 1 2
for word in first second third fourth; do
    say "$word"
done
echo die >&3
wait "$recorder"
exec 3>&- 5<&-
"$tool" recover --output whole dead.tgrec.3 >out || fail "recover from the middle of a row"
"$tool" cat whole | sed 's/.* //' | tr '\n' ' ' >words
[ "$(cat words)" = "second third fourth words " ] || fail "recover gives $(cat words)"

# What the dead left can be found, and goes when its owner says so.
rings=$(sed -n 's/^the rings can go now: //p' out)
"$tool" rings "$rings" >out || fail "rings of the dead"
grep -q "^$rings: left behind by process $recorder, begun " out || fail "rings say $(cat out)"
grep -q "^    record: $PWD/dead.tgrec.2$" out || fail "rings know their record: $(cat out)"
"$tool" rings . | grep -q "^$rings: left behind" || fail "rings are found without their name"
rm dead.tgrec.[0-9]*
"$tool" rings . | grep -q "record: $PWD/dead.tgrec, which is not there" || fail "a record that is gone"
rm "$rings"
"$tool" rings "$rings" 2>err && fail "rings that are gone"
grep -q "No such file" err || fail "rings that are gone: $(cat err)"
start_recorder alive.tgrec 0 0
say first
"$tool" rings . | grep -B1 "record: $PWD/alive.tgrec$" | grep -q ": process $recorder records since " ||
    fail "who records is seen"
stop_recorder

# Enough records for several threads: every one, in order, though the first batch takes the longest.
start_recorder many.tgrec 0 0
say "blob 12"
say "many 60000"
stop_recorder
"$tool" cat many.tgrec >out 2>err || fail "cat of many"
awk 'NR > 12 && $NF != n++ { bad = 1 } END { exit bad || n != 60000 }' out || fail "cat of many is not in order"
"$tool" cat --json many.tgrec >out 2>/dev/null || fail "cat --json of many"
[ "$(wc -l <out)" = 60012 ] || fail "cat --json of many"
status=0
"$tool" cat many.tgrec >/dev/full 2>err || status=$?
[ "$status" = 2 ] || fail "a full disk ends cat with $status"
grep -q 'No space left' err || fail "a full disk is told"

# Records that come too late for the order of their times.
start_recorder late.tgrec 0 0
say late
stop_recorder
"$tool" cat late.tgrec >out 2>err || fail "cat of late records"
[ "$(wc -l <out)" = 20001 ] || fail "late records are printed too"
grep -q ' 1 records are older than one before them, by [0-9]* ns at most' err || fail "late records: $(cat err)"
for command in verify "export --trace"; do
    # shellcheck disable=SC2086 # two words
    "$tool" $command late.tgrec >out 2>err || fail "$command of late records"
    grep -q ' 1 records are older' err || fail "$command tells no late records: $(cat err)"
done

# A wall clock that is set, and a machine that slept: each is told, and times are right at once.
start_recorder clocks.tgrec 0 0 clock
say before
say "set 3600"
say between
say "sleep 86400"
say after
stop_recorder
"$tool" verify clocks.tgrec >out 2>err || fail "verify of moved clocks"
grep -q 'the wall clock stepped by up to 3600.000 s' out || fail "a step: $(cat out)"
grep -q 'the machine was suspended for 86400.000 s' out || fail "a sleep: $(cat out)"
"$tool" cat clocks.tgrec >out 2>err || fail "cat of moved clocks"
awk '{ print substr($1, 1, 13) }' out | tr '\n' ' ' >hours
[ "$(cat hours)" = "2026-11-30T19 2026-11-30T20 2026-12-01T20 " ] || fail "moved clocks give $(cat hours)"

# A large file: a bar where somebody watches, nothing anywhere else.
start_recorder large.tgrec 0 0
say "blob 260"
stop_recorder
"$tool" cat large.tgrec >out 2>err || fail "cat of a large file"
is_silent || fail "a bar without a terminal: $(cat err)"
if command -v script >/dev/null 2>&1; then
    script -qec "'$tool' cat large.tgrec >out" seen >/dev/null </dev/null
    grep -q '\[#*\.*\] .* %' seen || fail "no bar on a terminal"
    grep -q '\[#*\.*\] *[1-9][0-9]* % checked' seen || fail "no bar while the file is checked"
    for command in verify stats hist "export --trace"; do
        script -qec "'$tool' $command large.tgrec >out" seen >/dev/null </dev/null
        grep -q '\[#*\.*\] .* %' seen || fail "no bar of $command"
    done
    script -qec "'$tool' cat grow.tgrec >out" seen >/dev/null </dev/null
    if grep -q '%' seen; then
        fail "a bar for a small file"
    fi
fi
