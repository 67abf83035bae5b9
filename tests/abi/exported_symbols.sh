#!/bin/sh
# exported_symbols.sh LIBRARY LIST
# The library defines exactly the globals of LIST, and asks its host for nothing of TLS or WebSocket.
set -eu
library=$1
list=$2
# LC_ALL: the same order everywhere.
LC_ALL=C
export LC_ALL
case "$library" in
*.a) defined=$(nm --extern-only --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort) ;;
*) defined=$(nm --dynamic --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort) ;;
esac
[ -n "$defined" ] || { echo "no symbols could be read from $library"; exit 1; }

foreign=$(printf '%s\n' "$defined" | grep -v '^tg_[^_]' || true)
if [ -n "$foreign" ]; then
    echo "$library defines names that are not tg_*:"
    printf '%s\n' "$foreign" | head -n 20
    exit 1
fi
case "$library" in
*.a) wanted=$(nm --undefined-only "$library" | awk '{ print $NF }') ;;
*) wanted=$(nm --dynamic --undefined-only "$library" | awk '{ print $NF }') ;;
esac
leaked=$(printf '%s\n' "$wanted" | grep -E '^(SSL|X509|EVP|BIO|ERR|PEM|mbedtls|psa|lws|tg)_' || true)
if [ -n "$leaked" ]; then
    echo "$library takes from its host what it should carry itself:"
    printf '%s\n' "$leaked" | head -n 20
    exit 1
fi
if ! printf '%s\n' "$defined" | diff -u "$list" -; then
    echo "The exported symbols of $library changed (- in the list, + in the library)."
    echo "If that is meant: ./dev exports, and say so in CHANGELOG.md. Names that were released stay."
    exit 1
fi
