# shellcheck shell=bash
# ./dev model: every Promela model must hold, and Spin must find every fault that its first comment
# lists. Sourced by ./dev.

# command_model [MODEL]: one of store/model, without .pml
command_model() {
    local models=(store/model/*.pml) model
    if [ $# -gt 0 ]; then
        models=("store/model/$1.pml")
        [ -f "${models[0]}" ] || die "no model $1; there are:" store/model/*.pml
    fi
    packages_need gcc libc6-dev spin
    for model in "${models[@]}"; do
        say "$model"
        store/model/check_model.sh "$model" || die "$model: see above"
    done
}
