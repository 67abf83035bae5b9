#!/bin/sh
# exported_symbols_self_test.sh CHECKER CC: the check fails on what it is there to find.
set -eu
checker=$1
cc=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/tickglass-abi.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf 'tg_good\n' >"$work/list"

# expect pass|fail NAME C-TEXT
expect() {
    printf '%s\n' "$3" >"$work/$2.c"
    "$cc" -c -fPIC -o "$work/$2.o" "$work/$2.c"
    rm -f "$work/$2.a"
    ar rcs "$work/$2.a" "$work/$2.o"
    "$cc" -shared -o "$work/$2.so" "$work/$2.o"
    for library in "$work/$2.a" "$work/$2.so"; do
        result=pass
        sh "$checker" "$library" "$work/list" >"$work/words" 2>&1 || result=fail
        [ "$result" = "$1" ] || { cat "$work/words"; echo "$2 (${library##*.}) should $1"; exit 1; }
    done
}
expect pass exact 'int tg_good(void); int tg_good(void) { return 1; }'
expect fail foreign_name 'int tg_good(void); int SSL_new(void); int tg_good(void) { return 1; } int SSL_new(void) { return 1; }'
expect fail private_name 'int tg_good(void); int tg__x(void); int tg_good(void) { return 1; } int tg__x(void) { return 1; }'
expect fail unlisted 'int tg_good(void); int tg_more(void); int tg_good(void) { return 1; } int tg_more(void) { return 1; }'
expect fail missing 'int tg_other(void); int tg_other(void) { return 1; }'
expect fail takes_from_host 'int tg_good(void); int SSL_read(void); int tg_good(void) { return SSL_read(); }'
