#!/bin/sh
# check_model.sh MODEL.pml [FAULT...]
# The model must hold, and Spin must find each seeded fault (a name that the model tests with ifdef).
# Without FAULT: those that the model's first comment lists behind "Seeded faults"; there must be some.
# 77: Spin or a C compiler is not installed.
set -eu
model=$1
shift
for tool in spin cc; do
    command -v "$tool" >/dev/null || { echo "SKIP: $tool is not installed"; exit 77; }
done
if [ $# = 0 ]; then
    names=$(sed -n '/Seeded faults/,/\*\//p; /\*\//q' "$model" | grep -o '[A-Z][A-Z0-9_]*' | sort -u)
    for name in $names; do
        grep -q "^#if.*\<$name\>" "$model" && set -- "$@" "$name"
    done
    [ $# -gt 0 ] || { echo "$model lists no seeded faults"; exit 1; }
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$model" "$folder/model.pml"
cd "$folder"

# verify [-DFAULT]: true if Spin finds no error in the whole state space
verify() {
    spin "$@" -a model.pml >spin.txt || { cat spin.txt; exit 1; }
    # -O1: the search is as fast, and the compiler takes longer than it where a fault is soon found.
    cc -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c
    ./pan -m1000000 >pan.txt
    if grep -q 'max search depth too small\|out of memory\|Search not completed' pan.txt && grep -q 'errors: 0$' pan.txt; then
        cat pan.txt
        echo "the search was cut short"
        exit 1
    fi
    grep -q 'errors: 0$' pan.txt
}

verify || { cat pan.txt; echo "the model does not hold"; exit 1; }
echo "holds in $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.txt) states"
for fault in "$@"; do
    if verify "-D$fault"; then
        echo "$fault was not found"
        exit 1
    fi
    echo "$fault is found: $(sed -n 's/^pan:1: //p' pan.txt)"
done
