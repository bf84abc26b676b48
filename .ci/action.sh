#!/bin/bash
# What action.yml runs: action.sh install, key, images or grade. All that is asked for is in the environment, a value a line.
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

# What images are kept in, from one job to the next.
kept=$RUNNER_TEMP/gradebox-images

# The hash of all that images are made of, for this architecture.
images_key() {
    "$venv/bin/python" - "$@" << 'END'
import hashlib, platform, sys
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.images.recipes import find_images_directory, reference

hashes = [f"{reference(name)} {image_catalogue().inputs_hash(name, find_images_directory())}" for name in sys.argv[1:]]
digest = hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()
print(f"gradebox-images-{platform.machine()}-{digest[:32]}")
END
}

# What a run came to, for its outputs: numbers alone, no text of a submission.
totals() {
    "$venv/bin/python" -c '
import json, sys
verdicts = json.load(sys.stdin)["verdicts"]
scores = [each["score"] for each in verdicts if each["verdict"] != "error"]
print(f"score={sum(scores) / len(scores):.4f}" if scores else "score=")
for name, verdict in (("passed", "passed"), ("failed", "failed"), ("errors", "error")):
    count = sum(each["verdict"] == verdict for each in verdicts)
    print(f"{name}={count}")
'
}

# The report for people among those that were asked for, or else the first.
report_path() {
    local path
    path=$(sed -n 's/^[[:space:]]*html=//p' <<< "$1" | head -n 1)
    path=${path:-$(sed -n 's/^[[:space:]]*[a-z_]*=//p' <<< "$1" | head -n 1)}
    path=${path%$'\r'}
    case $path in
        "" | /*) printf '%s' "$path" ;;
        *) printf '%s' "$PWD/$path" ;;
    esac
}

# Whether the job is for a pull request from another repository: whoever opened it reads the log and the reports.
from_fork() {
    "$venv/bin/python" - << 'END'
import json
import os
from pathlib import Path

event = os.environ.get("GITHUB_EVENT_PATH")
pull = json.loads(Path(event).read_text("utf-8")).get("pull_request") if event else None
# The repository of the branch is null if it is gone.
head = ((pull or {}).get("head") or {}).get("repo") or {}
raise SystemExit(not pull or head.get("full_name") == os.environ.get("GITHUB_REPOSITORY"))
END
}

case $1 in
    install)
        if [ ! -x "$venv/bin/grade" ]; then
            cd "$root"
            .ci/venv.sh "$venv/.installed" .
        fi
        ;;
    key)
        read -r -d '' -a names <<< "$GRADEBOX_IMAGES" || true
        key=$(images_key "${names[@]}")
        printf 'key=%s\npath=%s\n' "$key" "$kept" >> "$GITHUB_OUTPUT"
        ;;
    images)
        read -r -d '' -a names <<< "$GRADEBOX_IMAGES" || true
        if [ -s "$kept/images.tar" ]; then
            # What the engine does not take is built.
            docker load --quiet --input "$kept/images.tar" || rm -f "$kept/images.tar"
        fi
        "$venv/bin/grade" images build -- "${names[@]}"
        if [ "${GRADEBOX_CACHE:-}" = true ] && [ ! -e "$kept/images.tar" ]; then
            mkdir -p "$kept"
            version=$("$venv/bin/python" -c 'import gradebox; print(gradebox.__version__)')
            tags=()
            for name in "${names[@]}"; do
                tags+=("gradebox/$name:$version" "gradebox/$name:latest")
            done
            # Without an archive, the next job builds again, which is no reason to fail.
            docker save --output "$kept/images.tar" "${tags[@]}" || rm -f "$kept/images.tar"
        fi
        ;;
    grade)
        # A directory for this run alone, so that it is known which one it made.
        runs=$(mktemp -d "$RUNNER_TEMP/gradebox-runs.XXXXXX")
        audience=$GRADEBOX_AUDIENCE
        if [ -z "$audience" ]; then
            audience=author
            if from_fork; then
                audience=candidate
            fi
        fi
        add --audience= "$audience"
        if [ "$GRADEBOX_REPORTS" = auto ]; then
            page=html=gradebox-reports/report.html
            if [ "$audience" = candidate ]; then
                page=candidate=gradebox-reports/candidates
            fi
            GRADEBOX_REPORTS=$(printf '%s\n' junit=gradebox-reports/junit.xml markdown=gradebox-reports/report.md "$page")
        fi
        add --case= "$GRADEBOX_CASE"
        add --submission= "$GRADEBOX_SUBMISSION"
        add --report= "$GRADEBOX_REPORTS"
        add "" "$GRADEBOX_ARGS"
        code=0
        "$venv/bin/grade" "${arguments[@]}" --runs="$runs" || code=$?
        for run in "$runs"/*/; do
            if [ -d "$run" ]; then
                # It holds everything, and a later step may publish it.
                [ "$audience" = candidate ] || echo "run-directory=${run%/}" >> "$GITHUB_OUTPUT"
                "$venv/bin/grade" report "$run" --format json | totals >> "$GITHUB_OUTPUT"
            fi
        done
        printf 'exit-code=%s\nreport=%s\n' "$code" "$(report_path "$GRADEBOX_REPORTS")" >> "$GITHUB_OUTPUT"
        # A command line that makes no sense is nothing to be read from an output.
        if [ "$GRADEBOX_EXIT_ZERO" = true ] && { [ "$code" -eq 1 ] || [ "$code" -eq 4 ]; }; then
            exit 0
        fi
        exit "$code"
        ;;
    *)
        echo "usage: action.sh install|key|images|grade" >&2
        exit 2
        ;;
esac
