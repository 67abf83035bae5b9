# shellcheck shell=sh
# For scripts that start programs in a folder of their own: what was started ends and the folder goes, however they end.
# pids: to be ended. said, gateway.log, out, err: what a failure shows the end of.
dir=$(mktemp -d)
pids=
finish() {
    # shellcheck disable=SC2086 # several
    [ -z "$pids" ] || kill $pids 2>/dev/null || true
    wait
    rm -rf "$dir"
}
trap finish EXIT
cd "$dir" || exit 1

fail() {
    echo "FAILED: $1"
    tail -n 20 said gateway.log out err 2>/dev/null || true
    exit 1
}

# wait_for WHAT COMMAND...: until the command succeeds, five minutes at most
wait_for() {
    what=$1
    shift
    deadline=$(($(date +%s) + 300))
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$deadline" ] || fail "$what"
        sleep 0.05
    done
}
