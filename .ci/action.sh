#!/bin/bash
# What action.yml runs: action.sh install, images or grade. All that is asked for is in the environment, a value a line.
# GRADEBOX_VENV names an environment that has gradebox already; else one is made where the runner keeps what a job needs.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${GRADEBOX_VENV:-${RUNNER_TEMP:?This is for a job of GitHub Actions.}/gradebox-venv}

# add OPTION VALUES: an argument for each line of VALUES that is not blank. Joined to its option by an equals sign, no
# value can be taken for an option.
arguments=()
add() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        if [ -n "${line//[[:space:]]/}" ]; then
            arguments+=("$1$line")
        fi
    done <<< "$2"
}

case $1 in
    install)
        if [ ! -x "$venv/bin/grade" ]; then
            cd "$root"
            .ci/venv.sh "$venv/.installed" .
        fi
        ;;
    images)
        read -r -d '' -a names <<< "$GRADEBOX_IMAGES" || true
        "$venv/bin/grade" images build -- "${names[@]}"
        ;;
    grade)
        # A directory for this run alone, so that it is known which one it made.
        runs=$(mktemp -d "$RUNNER_TEMP/gradebox-runs.XXXXXX")
        add --case= "$GRADEBOX_CASE"
        add --submission= "$GRADEBOX_SUBMISSION"
        add --report= "$GRADEBOX_REPORTS"
        add "" "$GRADEBOX_ARGS"
        code=0
        "$venv/bin/grade" "${arguments[@]}" --runs="$runs" || code=$?
        for run in "$runs"/*/; do
            if [ -d "$run" ]; then
                echo "run-directory=${run%/}" >> "$GITHUB_OUTPUT"
            fi
        done
        echo "exit-code=$code" >> "$GITHUB_OUTPUT"
        # A command line that makes no sense is nothing to be read from an output.
        if [ "$GRADEBOX_EXIT_ZERO" = true ] && { [ "$code" -eq 1 ] || [ "$code" -eq 4 ]; }; then
            exit 0
        fi
        exit "$code"
        ;;
    *)
        echo "usage: action.sh install|images|grade" >&2
        exit 2
        ;;
esac
