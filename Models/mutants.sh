#!/usr/bin/env bash
# Plants the mistakes of mutants.txt, one at a time, and shows that a configuration finds each.
#   ./mutants.sh [--quick] [tickets|ordered|latest]
# Exit code 0: each is found, by the recorded invariant after the recorded number of steps, and each rule
# of caution is still one; 1: a deviation; 64, 69, 70: usage, no compiler, a model that does not compile.
# $CC names another compiler; $LIMIT is the most seconds that one run may take (1200).
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/common.bash"

while IFS='|' read -r left finding; do
    read -r model mistake kind number mark flags <<<"$left"
    [[ $model == '#'* || -z $model ]] && continue
    wanted "$model" "$mark" || continue
    rows=$((rows + 1)) finding=${finding# }
    printf '%-8s %-24s %-62s ' "$model" "$mistake" "$flags"
    # The flags are words without blanks.
    # shellcheck disable=SC2086
    search "$model" "-D$mistake" $flags
    if grep -q '!!' "$place/out"; then
        found=$(grep -m 1 '!!' "$place/out" | sed 's/ *!! *//')
        steps=$(grep -om 1 '[0-9]* steps' "$place/out" | cut -d ' ' -f 1)
        echo "found: $found ($steps steps)"
        if [[ $kind == caution ]]; then
            deviates "a rule of caution is recorded: no invariant broke without it"
        elif [[ $found != "$finding" || $steps != "$number" ]]; then
            deviates "recorded is: $finding ($number steps)"
        fi
    else
        echo "not found, $(states) states"
        if ! grep -q '^holds:' "$place/out"; then
            deviates "the search did not end: $(tail -n 1 "$place/out")"
        elif [[ $kind != caution ]]; then
            deviates "recorded is: $finding ($number steps)"
        elif [[ $(states) != "$number" ]]; then
            deviates "$number states are recorded"
        fi
    fi
done <mutants.txt
finish
