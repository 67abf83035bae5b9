#!/bin/sh
# tickglass-tape from outside: exit codes, stdout and stderr.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1"
    exit 1
}

# expect CODE ARGUMENTS...: stdout goes to out, stderr to err
expect() {
    code=0
    wanted=$1
    shift
    "$program" "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$wanted" ] || fail "$*: exit code $code instead of $wanted: $(cat "$work/err")"
}

cat >"$work/good" <<'LINES'
1 {"stream":"a@depth","data":{"s":"A","U":1,"u":1,"b":[],"a":[]}}
2 {"lastUpdateId":7,"bids":[["5","1"]],"asks":[["6","1"]]}
3 {"stream":"a@bookTicker","data":{"u":7,"s":"A","b":"5.0","B":"1","a":"6","A":"1"}}
LINES
sed 's/"5.0"/"5.1"/' "$work/good" >"$work/bad"

expect 0 --version
grep -q '^tickglass-tape [0-9]' "$work/out" || fail "no version"
expect 0 --help
grep -q -- '--errors-max' "$work/out" || fail "no help"
expect 2
expect 2 convert "$work/good"
expect 1 convert "$work/nothing" --out "$work/o.csv"
grep -q 'nothing: cannot be opened' "$work/err" || fail "the missing input is not named"
expect 0 convert "$work/good" --out -
[ "$(sed -n 2p "$work/out")" = "2,BINANCE,A,bid,5,1,7" ] || fail "stdout is not the tape"
expect 0 convert "$work/good" --out "$work/o.csv"
[ -s "$work/o.csv" ] || fail "there is no tape"
grep -q ' read$' "$work/err" && fail "progress though stderr is not a terminal"
expect 0 check "$work/good"
grep -q ': 1 compared, 1 equal, 0 different$' "$work/out" || fail "check does not count"
expect 1 check "$work/bad"
grep -q 'bad: line 3: BINANCE:A: the book differs' "$work/out" || fail "the difference is not named"
