#!/bin/sh
# Lints and checks the form of what is not Python, in 120 columns: JavaScript and TypeScript, shell, C.
# lint.sh BIN: BIN has the linters. With `format` as a second word, files are rewritten.
set -eu

cd "$(dirname "$0")/.."
bin=$1
files() {
    git ls-files -- "$@" | grep -vE '^cases/|/(cheats|template|golden)/|^tests/hostile/'
}
scripts=$(files '*.js' '*.mjs' '*.cjs' '*.ts')
shell=$(files '*.sh' .ci/run images/base/install-packages '*/image/start-node' '*/image/npx' '*/image/uv')
shape="-i 4 -ci -sr"

# shellcheck disable=SC2086 # lists of files
if [ "${2:-}" = format ]; then
    "$bin/oxfmt" --config .ci/oxfmt.json $scripts
    "$bin/shfmt" $shape -w $shell
else
    echo "==> oxlint, oxfmt"
    "$bin/oxlint" --config .ci/oxlint.json --deny-warnings --format unix $scripts
    "$bin/oxfmt" --config .ci/oxfmt.json --check $scripts > /dev/null || {
        "$bin/oxfmt" --config .ci/oxfmt.json --list-different $scripts
        echo "These files are not formatted: make format" >&2
        exit 1
    }
    echo "==> lines of Julia"
    # No linter of Julia can be had from a package registry. Its compiler reads these files when the images are built.
    files '*.jl' | grep '^graders/' | xargs "$bin/python" -c '
import sys
long = [f"{name}:{n}" for name in sys.argv[1:] for n, line in enumerate(open(name, encoding="utf-8"), 1) if len(line) > 121]
sys.exit(" ".join(["longer than 120 columns:", *long]) if long else 0)
'
    echo "==> shellcheck, shfmt"
    "$bin/shellcheck" --rcfile .ci/shellcheckrc $shell
    "$bin/shfmt" $shape -d $shell
    echo "==> gcc -fanalyzer"
    command -v gcc > /dev/null || .ci/apt.sh gcc libc6-dev || {
        echo "There is no gcc. Install it (Debian: apt-get install gcc libc6-dev)." >&2
        exit 4
    }
    # It loses sight of what is kept in an array that grows.
    printf '%s\n' sandbox/supervisor/*.c | xargs -P 2 -n 1 \
        gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion -fanalyzer -Wno-analyzer-malloc-leak -Werror \
        -O1 -S -o /dev/null
fi
