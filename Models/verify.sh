#!/usr/bin/env bash
# Runs every configuration of verified.txt and compares the number of states with the table; then replays the
# histories of limits.txt.
#   ./verify.sh [--quick] [tickets|ordered|latest]
# Rows marked "spin" run under Spin where it is installed, else under bfs.c, like all others.
# Exit code 0: as recorded; 1: a deviation; 64, 69, 70: usage, no compiler, a model that does not compile.
# $CC names another compiler; $LIMIT is the most seconds that one run may take (1200).
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/common.bash"

# Verifies with Spin, states stored exactly (-DHC4 would lose states). MODEL FLAGS...
spin_search() {
    local model=$1
    shift
    cp -- *.h model.pml "$place/"
    (
        cd -- "$place" && rm -f -- *.trail && spin -a model.pml &&
            "$CC" -O2 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -DMEMLIM=7500 "-DMODEL=\"$model.h\"" "$@" \
                -o pan pan.c
    ) || exit 70
    (cd -- "$place" && timeout "${LIMIT:-1200}" ./pan -m20000 -w25 -E >out 2>&1)
    # Spin counts the state before the first step, too.
    spin_states=$(($(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' "$place/out" | tail -n 1) - 1))
    ! grep -qE 'out of memory|max search depth too small|search not completed' "$place/out" &&
        grep -q 'errors: 0$' "$place/out"
}

while read -r model engine expected mark flags; do
    [[ $model == '#'* || -z $model ]] && continue
    wanted "$model" "$mark" || continue
    rows=$((rows + 1))
    if [[ $engine == spin ]] && ! command -v spin >/dev/null; then engine=bfs; fi
    printf '%-8s %-4s %-62s ' "$model" "$engine" "$flags"
    # The flags are words without blanks.
    # shellcheck disable=SC2086
    if [[ $engine == spin ]]; then
        spin_search "$model" $flags && verdict=holds || verdict=violated
        count=$spin_states
    else
        search "$model" $flags && verdict=holds || verdict=violated
        grep -q '^holds:' "$place/out" || verdict=violated
        count=$(states)
    fi
    echo "$verdict, ${count:-no} states"
    [[ $verdict == holds ]] || deviates "$(grep -m 1 '!!' "$place/out" || tail -n 1 "$place/out")"
    [[ $count == "$expected" ]] || deviates "$expected states are recorded"
done <verified.txt

while IFS='|' read -r left path; do
    read -r model expected flags <<<"$left"
    [[ $model == '#'* || -z $model ]] && continue
    wanted "$model" quick || continue
    rows=$((rows + 1))
    printf '%-8s path %-62s ' "$model" "$flags"
    # shellcheck disable=SC2086
    "$CC" -O2 -w "-DMODEL=\"$model.h\"" $flags walk.c -o "$place/walk" || exit 70
    # shellcheck disable=SC2086
    "$place/walk" path $path >"$place/out" 2>&1
    violation=$(tail -n 1 "$place/out" | grep -o ' violation=[0-9]*' | cut -d = -f 2)
    echo "violation ${violation:-unknown}"
    [[ $violation == "$expected" ]] || deviates "violation $expected is recorded"
done <limits.txt
finish
