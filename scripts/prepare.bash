# Sourced by ./run and ./test: makes sure that what a build needs is there. Expects $root, the package's
# directory. Everything it says goes to stderr; failures end the script with an exit code of sysexits.

swift_wanted=6.2
debian_packages=(libargon2-dev libjpeg62-turbo-dev libpng-dev libsodium-dev libsqlite3-dev libzstd-dev)

say() { printf '%s\n' "$*" >&2; }

fail() {
    local code=$1
    shift
    say "Error: $1"
    shift
    local line
    for line in "$@"; do say "  $line"; done
    exit "$code"
}

# Whether version $1 is at least version $2.
is_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

need_swift() {
    command -v swift >/dev/null || fail 69 \
        "a Swift toolchain is needed, $swift_wanted or later, and there is no 'swift' in PATH." \
        "Get one for Debian 12 from https://www.swift.org/install/linux and put its usr/bin into PATH."
    local text found
    text=$(swift --version 2>&1) || fail 69 "'swift --version' failed:" "$text" \
        "Get a toolchain for Debian 12 from https://www.swift.org/install/linux."
    found=$(sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)*).*/\1/p' <<<"$text" | head -n 1)
    [[ -n $found ]] || fail 69 "'swift --version' does not say which version it is:" "$text"
    is_at_least "$found" "$swift_wanted" || fail 69 \
        "Swift $swift_wanted or later is needed; $(command -v swift) is $found." \
        "Get a newer one for Debian 12 from https://www.swift.org/install/linux."
}

is_installed() {
    [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

need_packages() {
    command -v dpkg-query >/dev/null || return 0 # Not Debian: the build says what it misses.
    local missing=() package
    for package in "${debian_packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    local -a as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null || ! { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
            fail 69 "these Debian packages are missing: ${missing[*]}" \
                "Install them as root, then run this again: apt-get install ${missing[*]}"
        fi
        as_root=(sudo)
    fi
    say "Installing Debian packages: ${missing[*]}"
    local log
    log=$(mktemp)
    # The package lists of a fresh machine are empty or old: fetch them only if it does not work without.
    local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get install -y -q --no-install-recommends "${missing[@]}")
    if ! "${install[@]}" >"$log" 2>&1; then
        if ! { "${as_root[@]}" apt-get update -q && "${install[@]}"; } >"$log" 2>&1; then
            tail -n 15 "$log" >&2
            rm -f "$log"
            fail 69 "apt-get could not install: ${missing[*]}" "Its last lines are above."
        fi
    fi
    rm -f "$log"
}

need_build_directory() {
    mkdir -p "$root/.build" 2>/dev/null && [[ -w $root/.build ]] || fail 73 \
        "cannot write to $root/.build, where the build goes." \
        "Copy the package to a directory of your own, or change its owner."
}
