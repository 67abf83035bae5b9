#!/bin/sh
# imports.sh OBJECT...
# What the store asks of the system: memory at open, and functions over bytes. No clock, no lock, no
# thread, no file: a new name here needs a reason. (clang makes bcmp() of a memcmp() for equality.)
set -eu
memory='calloc|free'
bytes='bcmp|mem(chr|cmp|cpy|move|set)|str(cmp|len|ncmp)'
tools='__(asan|tsan|ubsan|msan|sanitizer|gcov|llvm|afl|stack_chk)_[a-z0-9_]*'
names=$(nm -u "$@" | sed -n 's/^ *[Uw] //p' | sort -u)
[ -n "$names" ] || { echo "no object asks for anything: is this the store?"; exit 1; }
more=$(echo "$names" | grep -vE "^(tg_.*|_GLOBAL_OFFSET_TABLE_|$memory|$bytes|$tools)\$" || true)
[ -z "$more" ] || { echo "the store asks for more than it should:"; echo "$more"; exit 1; }
