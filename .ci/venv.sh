#!/bin/sh
# Makes the virtual environment of this checkout: venv.sh STAMP REQUIREMENT
# Installs REQUIREMENT (such as `.` or `.[dev]`) in editable form, then touches STAMP inside the environment.
set -eu

stamp=$1
requirement=$2
venv=$(dirname "$stamp")

# Two makes may run in one checkout: the second waits, and then finds its work done.
if [ "${GRADEBOX_VENV_LOCKED:-}" != "$venv" ] && command -v flock > /dev/null; then
    GRADEBOX_VENV_LOCKED=$venv exec flock pyproject.toml "$0" "$@"
fi
[ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || exit 0

find_python() {
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            command -v "$name"
            return
        fi
    done
    echo "No Python of at least 3.11 was found. Install one, or name it: make PYTHON=/path/to/python3" >&2
    exit 4
}

if ! "$venv/bin/python" -c 'import pip' 2> /dev/null; then
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
        # Debian packages a part of the standard library by itself.
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        if ! "$(dirname "$0")/apt.sh" "python$version-venv"; then
            echo "$python lacks the venv module. Install it (Debian: apt-get install python$version-venv)." >&2
            exit 4
        fi
    fi
    echo "==> making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
fi

# Whether this machine's compiler makes static programs, as the supervisor is one.
compiles() {
    scratch=$(mktemp -d)
    result=0
    echo 'int main(void) { return 0; }' > "$scratch/try.c"
    cc -static -o "$scratch/try" "$scratch/try.c" 2> /dev/null || result=1
    rm -rf "$scratch"
    return "$result"
}

echo "==> installing $requirement into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -e "$requirement"
if ! compiles && ! "$venv/bin/python" -c 'import ziglang' 2> /dev/null; then
    echo "==> installing ziglang into $venv: this machine has no C compiler with a static library"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input ziglang
fi
# Whatever was asked for, the package itself is in now.
touch "$venv/.installed" "$stamp"
