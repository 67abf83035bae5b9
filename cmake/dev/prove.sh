# shellcheck shell=bash
# ./dev prove: Frama-C proves the contracts of the codec's integer primitives, and that no argument
# that they allow makes a run-time error. Sourced by ./dev.

prove_sources=tests/proofs/primitives.c
prove_headers=(codec/src/varint.h codec/src/exact_division.h)

# The functions of the headers: a proof that leaves one out is no proof.
prove_functions() {
    sed -n 's/^static inline [a-z0-9_ ]*[ *]\(tg__[a-z0-9_]*\)(.*/\1/p' "${prove_headers[@]}" | sort
}

command_prove() {
    local log=out/prove/frama-c.log goals missing=''
    packages_need gcc frama-c-base why3 z3 cvc4
    mkdir -p out/prove
    # Which provers there are and where: in a file of our own, not in the user's.
    export WHY3CONFIG=$PWD/out/prove/why3.conf
    why3 config detect >out/prove/why3.log 2>&1 || die "why3 found no provers: out/prove/why3.log"
    frama-c -machdep gcc_x86_64 -c11 \
        -cpp-extra-args="-D_POSIX_C_SOURCE=200809L -Icodec/src -Ibase/include -Ibase/internal" \
        "$prove_sources" -wp -wp-rte -wp-prover cvc4,z3 -wp-timeout "${1:-20}" >"$log" 2>&1 || {
        tail -20 "$log" >&2
        die "frama-c could not read the sources"
    }
    missing=$(comm -23 <(prove_functions) \
        <(sed -n 's/^\[rte:annot\] annotating function //p' "$log" | sort))
    [ -z "$missing" ] || die "not looked at: $missing"
    goals=$(sed -n 's/^\[wp\] Proved goals: *\([0-9]*\) *\/ *\([0-9]*\).*/\1 \2/p' "$log")
    [[ "$goals" == *" "[1-9]* ]] || die "no goals in $log"
    printf 'functions  %s\ngoals      %s\nproved     %s\n' "$(prove_functions | wc -l)" \
        "${goals#* }" "${goals% *}"
    if [ "${goals% *}" != "${goals#* }" ]; then
        grep -E '^\[wp\] \[(Failed|Timeout|Unknown)' "$log" >&2
        die "not everything is proved; the whole log is $log"
    fi
}
