#!/bin/sh
# tickglass_log.sh TOOL GOLDEN_DIR RECORD_WINDOWS
# The tool's commands, what they print and how they end.
set -eu
tool=$1
golden=$2
record_windows=$3
record=$golden/format_1.tgrec
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "FAILED: $1"
    cat out err
    exit 1
}

# expect STATUS ARGUMENT...: runs the tool into ./out and ./err
expect() {
    wanted=$1
    shift
    status=0
    "$tool" "$@" >out 2>err || status=$?
    [ "$status" = "$wanted" ] || fail "$* ended with $status, not $wanted"
}

expect 0 cat "$record"
cmp -s out "$golden/format_1.txt" || fail "cat prints something else"
expect 0 cat --json "$record"
cmp -s out "$golden/format_1.jsonl" || fail "cat --json prints something else"
expect 0 tail "$record"
cmp -s out "$golden/format_1.txt" || fail "tail prints something else"

expect 0 cat --level warn "$record"
[ "$(wc -l <out)" = 2 ] || fail "--level warn"
expect 0 cat --site golden.c:102 "$record"
[ "$(wc -l <out)" = 4 ] || fail "--site"
expect 0 cat --site golden.c:101 --where '2>-37.62' "$record"
[ "$(wc -l <out)" = 2 ] || fail "--where"
expect 0 cat --from 2026-11-30T19:15:05.000004Z --to 1796066105000004750 "$record"
[ "$(wc -l <out)" = 3 ] || fail "--from and --to"
expect 0 cat --thread main --contains static "$record"
[ "$(wc -l <out)" = 4 ] || fail "--thread and --contains"
expect 0 cat --thread nobody "$record"
[ ! -s out ] || fail "--thread of nobody"

expect 0 stats --site golden.c:101 "$record"
grep -q 'argument 2: min -37.63 mean -37.615 ' out || fail "stats"
expect 0 hist --name glass "$record"
grep -q 'count 4 min 1000000 .* p100 4000000' out || fail "hist"
expect 0 hist --hlog "$record"
cp out own.hlog
# A window belongs to a span that it begins in, whenever it was recorded.
for span in '--from 2026-11-30T19:15:05.000001Z' '--to 2026-11-30T19:15:05.0000011Z'; do
    # shellcheck disable=SC2086 # two words
    expect 0 hist $span "$record"
    grep -q 'glass' out || fail "hist $span"
done
for span in '--from 2026-11-30T19:15:05.0000011Z' '--to 2026-11-30T19:15:05.000001Z'; do
    # shellcheck disable=SC2086
    expect 0 hist $span "$record"
    [ ! -s out ] || fail "hist $span"
done
expect 0 hist --to 1796066105000000000 own.hlog
[ ! -s out ] || fail "hist --to of a log"
expect 0 hist --from 1796066104999000000 --to 1796066105000001000 own.hlog
grep -q 'count 4 ' out || fail "hist of a span of a log"
expect 0 hist --name glass own.hlog
grep -q 'count 4 ' out || fail "hist of our own log"
expect 0 hist --name glass "$record" own.hlog
grep -q 'count 8 ' out || fail "hist of a record and a log of the same name"
grep -q 'incomplete' out && fail "windows of both forms add up"
# Pieces of several streams that have one name lie between each other.
count=$("$record_windows" one.tgrec other.tgrec)
pieces=$("$tool" cat one.tgrec other.tgrec | sed -n 's/.*piece \([0-9]*\) of .*/\1/p' | head -5 | tr '\n' ' ')
[ "$pieces" = "1 1 1 1 2 " ] || fail "the pieces of four windows come as $pieces"
expect 0 hist one.tgrec other.tgrec
grep -q 'same .*, 4 windows' out || fail "windows of four streams"
grep -q "count $((4 * count)) min 1000 " out || fail "windows of four streams add up"
grep -q 'incomplete' out && fail "windows of other streams make none incomplete"
expect 0 hist --json --thread 1 one.tgrec other.tgrec
grep -q "\"windows\":2,\"incomplete\":0,\"count\":$((2 * count))," out || fail "windows of one thread of each"
expect 0 hist "$golden/hdr_histogram_js.hlog"
grep -q 'count 100000 .* p50 2478079 ' out || fail "hist of another program's log"
sed 's/HISTFA/HISTFB/' own.hlog >bad.hlog
expect 1 hist bad.hlog
grep -q 'bad.hlog:4: ' err || fail "a bad line of a log is named"
expect 0 export --csv --site golden.c:101 "$record"
[ "$(wc -l <out)" = 5 ] || fail "export --csv"
expect 0 export --trace "$record"
grep -q '"ph":"i"' out || fail "export --trace"
expect 2 export --csv "$record"

expect 0 verify "$record"
grep -q 'closed in order' out || fail "verify"
head -c 1500 "$record" >torn.tgrec
expect 1 verify torn.tgrec
grep -Eq 'torn.tgrec: offset [0-9]+: the file ends in the middle of a block' err || fail "torn"
grep -q 'not closed' out || fail "verify of a torn file"
expect 1 cat torn.tgrec
grep -q 'golden.c' out || fail "cat of a torn file prints what is whole"
expect 1 recover torn.tgrec
expect 0 verify torn.tgrec.recovered
expect 2 recover torn.tgrec
grep -q 'exists' err || fail "recover never overwrites"

expect 2 cat nowhere.tgrec
grep -q 'nowhere.tgrec: No such file' err || fail "a missing file is named"
: >empty.tgrec
expect 2 cat empty.tgrec
grep -q 'empty.tgrec: offset 0' err || fail "an empty file is named"
expect 2 frobnicate "$record"
expect 2 cat --colour "$record"
expect 2 cat
expect 0 --help
expect 0 --version
