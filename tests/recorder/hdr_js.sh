#!/bin/sh
# hdr_js.sh TOOL GOLDEN_DIR
# Histogram logs in both directions between tickglass-log and the npm package hdr-histogram-js. Skipped
# where node or the package cannot be had.
set -eu
tool=$1
golden=$2
source=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
modules=${cache:+$cache/tickglass/hdr-histogram-js-3.0.1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

skip() {
    echo "SKIPPED: $1"
    exit 77
}

[ -n "$modules" ] || skip "there is no place for the package"
command -v node >/dev/null 2>&1 || skip "there is no node"
if [ ! -d "$modules/node_modules/hdr-histogram-js" ]; then
    command -v npm >/dev/null 2>&1 || skip "there is no npm"
    npm install --prefix "$dir/npm" --silent --ignore-scripts --no-audit --no-fund hdr-histogram-js@3.0.1 \
        >"$dir/npm.log" 2>&1 || skip "hdr-histogram-js cannot be installed"
    mkdir -p "$(dirname "$modules")"
    # Another run may have been faster: then its copy serves as well.
    mv "$dir/npm" "$modules" 2>/dev/null || [ -d "$modules/node_modules/hdr-histogram-js" ] ||
        skip "hdr-histogram-js cannot be kept"
fi
NODE_PATH=$modules/node_modules
export NODE_PATH
cd "$dir"

# Theirs, read by us: what the package says of its own histograms is what the tool says.
node "$source/hdr_js.js" write theirs.hlog >expected
"$tool" hist --json theirs.hlog >theirs.jsonl
node "$source/hdr_js.js" compare theirs.jsonl <expected

# Ours, read by them: a log from a record, from a log of theirs, and from all windows of each.
"$tool" hist --hlog "$golden/format_1.tgrec" >ours.hlog
"$tool" hist --hlog theirs.hlog >again.hlog
for log in ours again; do
    "$tool" hist --json $log.hlog >$log.jsonl
    node "$source/hdr_js.js" read $log.hlog >read.jsonl
    node "$source/hdr_js.js" compare $log.jsonl <read.jsonl
done
cmp -s expected read.jsonl || {
    echo "FAILED: a log that went through the tool says something else"
    diff expected read.jsonl
    exit 1
}
