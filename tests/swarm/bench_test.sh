#!/usr/bin/env bash
# bench_gateway works: every row is there, with what was measured. Figures are not judged.
#     bench_test.sh BENCH
set -euo pipefail

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

fail() {
    printf 'bench_test: %s\n' "$*" >&2
    cat "$rows" >&2
    exit 1
}

"$1" --quick --seconds 2 --json >"$rows" || fail "something could not be measured"
for name in tier hydration slow drain; do
    [ "$(grep -Ec "^\{\"bench\":\"gateway.$name\",.*,\"met\":(true|false)\}$" "$rows")" = 1 ] ||
        fail "one row of $name, which says whether its targets are met"
done
for name in ES256 RS256; do
    [ "$(grep -c "^{\"bench\":\"gateway.jwt\",\"alg\":\"$name\",.*}$" "$rows")" = 1 ] || fail "$name"
done
[ "$(wc -l <"$rows")" = 6 ] || fail "rows alone"
value() { sed -n "s/.*\"gateway.$1\".*\"$2\":\([0-9.]*\).*/\1/p" "$rows"; }
[ "$(value tier terminals)" = 20 ] || fail "20 terminals"
[ "$(value tier rows)" -gt 0 ] || fail "rows that were joined with the tick log"
[ "$(value tier client_regressions)" = 0 ] || fail "no price goes back"
[ "$(value hydration count)" = 20 ] || fail "20 hydrations"
[ "$(value slow client_regressions)" = 0 ] || fail "no price goes back after a GAP"
[ "$(value drain exit_code)" = 0 ] || fail "a drain that had to cut"
exit 0
