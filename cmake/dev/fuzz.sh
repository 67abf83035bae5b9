# shellcheck shell=bash
# ./dev fuzz: libFuzzer or AFL++ over the decoders. Sourced by ./dev.

# fuzz_run TARGET SECONDS: what it finds and what it learns goes to out/fuzz/TARGET
fuzz_run() {
    local program folders=("out/fuzz/$1")
    program=$(find_program fuzz "fuzz_$1")
    mkdir -p "${folders[0]}"
    # libFuzzer writes what it finds into its first folder, which is why the corpus comes second.
    [ ! -d "fuzz/corpus/$1" ] || folders+=("fuzz/corpus/$1")
    "$program" -max_total_time="$2" -artifact_prefix="${folders[0]}/" "${folders[@]}"
}

# fuzz_all SECONDS: every target in turn; one line for each, the whole log in out/fuzz
fuzz_all() {
    local target targets=() found=() status=0
    mapfile -t targets < <(names_of fuzz fuzz_ | tr -d ' ')
    cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" >&2
    mkdir -p out/fuzz
    for target in "${targets[@]}"; do
        status=0
        fuzz_run "$target" "$1" >"out/fuzz/$target.log" 2>&1 || status=$?
        [ $status = 0 ] || found+=("$target")
        printf '%-22s %s\n' "$target" "$(grep -E 'DONE|SUMMARY' "out/fuzz/$target.log" | tail -1)"
    done
    [ ${#found[@]} = 0 ] || die "found something: ${found[*]} (out/fuzz/TARGET.log names the input)"
    say "nothing found"
}

# fuzz_afl TARGET SECONDS: the same target driven by afl-fuzz, in out/afl/TARGET
fuzz_afl() {
    local program corpus="fuzz/corpus/$1"
    [ -d "$corpus" ] || die "no corpus $corpus to start from"
    configure afl >&2
    cmake --build --preset afl --target "fuzz_$1" >&2
    program=$(find_program afl "fuzz_$1")
    mkdir -p out/afl
    AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 \
        afl-fuzz -m none -V "$2" -i "$corpus" -o "out/afl/$1" -- "$program" >"out/afl/$1.log" 2>&1 || {
        tail -20 "out/afl/$1.log" >&2
        die "afl-fuzz ended early"
    }
    grep -E '^(execs_done|execs_per_sec|edges_found|bitmap_cvg|saved_crashes|saved_hangs) ' \
        "out/afl/$1/default/fuzzer_stats"
    grep -qE '^saved_crashes +: 0$' "out/afl/$1/default/fuzzer_stats" ||
        die "found something: out/afl/$1/default/crashes"
}

command_fuzz() {
    if [ "${1:-}" = --afl ]; then
        [[ "${3:-}" =~ ^[0-9]+$ ]] || die "fuzz --afl TARGET SECONDS"
        fuzz_afl "$2" "$3"
        return
    fi
    configure fuzz
    if [ $# = 0 ]; then
        say "fuzz targets:" && names_of fuzz fuzz_
        return
    fi
    [[ "${2:-}" =~ ^[0-9]+$ ]] || die "fuzz TARGET SECONDS, or fuzz all SECONDS"
    if [ "$1" = all ]; then
        fuzz_all "$2"
    else
        cmake --build --preset fuzz --target "fuzz_$1"
        fuzz_run "$1" "$2"
    fi
}
