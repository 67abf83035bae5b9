#!/bin/sh
# exported_hlog.sh WRITER TOOL READER
# A log that the terminal exports, read by tickglass-log and by the npm package hdr-histogram-js, which
# say the same. Without node or the package (recorder.hdr_js fetches it) the second half is skipped.
set -eu
writer=$1
tool=$2
reader=$3
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
modules=${cache:+$cache/tickglass/hdr-histogram-js-3.0.1/node_modules}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$writer" "$dir/exported.hlog"
"$tool" hist --json "$dir/exported.hlog" >"$dir/ours.jsonl"
grep -q '"histogram":"terminal_draw","windows":20,"incomplete":0,"count":210,' "$dir/ours.jsonl" || {
    echo "FAILED: tickglass-log reads something else"
    cat "$dir/ours.jsonl"
    exit 1
}
if ! command -v node >/dev/null 2>&1 || [ ! -d "$modules/hdr-histogram-js" ]; then
    echo "SKIPPED: there is no node, or no hdr-histogram-js"
    exit 77
fi
NODE_PATH=$modules
export NODE_PATH
node "$reader" read "$dir/exported.hlog" >"$dir/theirs.jsonl"
node "$reader" compare "$dir/ours.jsonl" <"$dir/theirs.jsonl"
