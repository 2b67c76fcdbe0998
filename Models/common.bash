# common.bash - what verify.sh and mutants.sh share: reading the command line, compiling, searching.
set -u
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" || exit 69
CC=${CC:-cc}
quick= only=
for word in "$@"; do
    case $word in
    --quick) quick=1 ;;
    tickets | ordered | latest) only=$word ;;
    *)
        echo "usage: $(basename -- "$0") [--quick] [tickets|ordered|latest]" >&2
        exit 64
        ;;
    esac
done
if ! command -v "$CC" >/dev/null; then
    echo "no C compiler ('$CC')" >&2
    exit 69
fi
place=$(mktemp -d) || exit 73
trap 'rm -rf -- "$place"' EXIT
deviations=0 rows=0
# A search that needs more memory than this ends, and is reported (KB).
ulimit -v "${MEMORY:-16000000}"

# Is this row of a table wanted? MODEL MARK
wanted() { [[ (-z $only || $only == "$1") && (-z $quick || $2 == quick) ]]; }

deviates() {
    echo "  DEVIATES: $*"
    deviations=$((deviations + 1))
}

# Searches breadth first, at most 200 million states. MODEL FLAGS... The output is in $place/out.
search() {
    local model=$1
    shift
    "$CC" -O2 -w "-DMODEL=\"$model.h\"" "$@" bfs.c -o "$place/bfs" || exit 70
    timeout "${LIMIT:-1200}" "$place/bfs" 1 200000000 >"$place/out" 2>&1
}

# The number that stands before the word "states" in the last line that has one.
states() { grep -o '[0-9]* states' "$place/out" | tail -n 1 | cut -d ' ' -f 1; }

# The exit code and the closing line.
finish() {
    if [[ $rows == 0 ]]; then
        echo "no row of the table was wanted"
        exit 64
    fi
    echo "$rows runs, $deviations deviations from the table"
    [[ $deviations == 0 ]]
}
