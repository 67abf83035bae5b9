#!/bin/sh
# headers_alone.sh CC CXX INCLUDE_FOLDER...
# Every public header compiles as the only line of a file, as C11 and as C++.
set -eu
cc=$1
cxx=$2
shift 2
includes=''
for folder in "$@"; do
    includes="$includes -I$folder"
done
count=0
failed=0
for header in $(cd / && find "$@" -name '*.h' | sort); do
    name=tickglass/${header##*/tickglass/}
    count=$((count + 1))
    # shellcheck disable=SC2086 # one word per folder is meant
    printf '#include <%s>\nint tg_probe;\n' "$name" | "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $includes -fsyntax-only -x c - || failed=1
    # shellcheck disable=SC2086
    printf '#include <%s>\nint tg_probe;\n' "$name" | "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror $includes -fsyntax-only -x c++ - || failed=1
done
echo "$count headers"
[ "$count" -gt 0 ] && [ "$failed" = 0 ]
