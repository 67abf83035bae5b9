#!/usr/bin/env bash
# readme_shows_the_example.sh ROOT: the C block of README.md is docs/embed.c, letter for letter.
set -euo pipefail
shown() { awk '/^```/ { inside = /^```c$/; next } inside' "$1/README.md"; }
diff <(shown "$1") "$1/docs/embed.c" && exit 0
echo "README.md shows another program than docs/embed.c (< README, > file)"
exit 1
