#!/bin/sh
# same.sh NODE: the vector files are what the generator writes, byte for byte.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$1" -e 'if (Number(process.versions.node.split(".")[0]) < 18) { console.log("SKIP: node is older than 18"); process.exit(77); }'
"$1" "$here/write.mjs" "$made"
(cd "$made" && find . -name '*.json' | sort) |
    while read -r file; do
        cmp "$made/$file" "$here/../$file"
    done
