#!/bin/sh
# wrong_formats.sh COMPILER INCLUDE_DIR...
# The compiler checks the arguments of TG_RECORD against its format.
set -eu
compiler=$1
shift
flags="-std=c11 -Wall -Wextra -Wformat=2 -Werror -fsyntax-only"
for dir in "$@"; do
    flags="$flags -I$dir"
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# compile CALL: one call with arguments of every kind at hand
compile() {
    cat >"$dir/call.c" <<TEXT
#include <inttypes.h>
#include <tickglass/recorder.h>
void call(tg_recorder *r, int i, unsigned u, int64_t l, double d, const char *s, tg_text t,
          tg_blob b, tg_decimal p);
void call(tg_recorder *r, int i, unsigned u, int64_t l, double d, const char *s, tg_text t,
          tg_blob b, tg_decimal p)
{
    (void)i, (void)u, (void)l, (void)d, (void)s, (void)t, (void)b, (void)p;
    TG_RECORD(r, TG_RECORD_INFO, $1);
}
TEXT
    # shellcheck disable=SC2086 # many words
    "$compiler" $flags "$dir/call.c" >"$dir/err" 2>&1
}

right() {
    compile "$1" || {
        echo "FAILED: $1 does not compile"
        cat "$dir/err"
        exit 1
    }
}

wrong() {
    if compile "$1"; then
        echo "FAILED: $1 compiles"
        exit 1
    fi
    grep -q 'format' "$dir/err" || {
        echo "FAILED: $1 is refused for another reason"
        cat "$dir/err"
        exit 1
    }
}

right '"nothing"'
right '"%d %u %" PRId64 " %f %s", i, u, l, d, s'
right '"%s %p %.2f %*d", t, b, p, i, i'
wrong '"%s", i'
wrong '"%d", l'
wrong '"%" PRId64, i'
wrong '"%f", i'
wrong '"%d", d'
wrong '"%d", s'
wrong '"%d", t'
wrong '"%s", b'
wrong '"%d", p'
wrong '"%d %d", i'
wrong '"%d", i, i'
