#!/bin/sh
# Checks the commits since the rules of CONTRIBUTING.md for them began: a subject `area: change` of at most 90
# characters, a body that says why, and no merges. Where the history does not reach back so far, there is nothing to check.
set -eu

first=c2aa59ca
cd "$(dirname "$0")/.."
git merge-base --is-ancestor "$first" HEAD 2> /dev/null || exit 0

wrong=0
complain() {
    echo "commit $(git log -1 --format='%h (%s)' "$1"): $2"
    wrong=1
}

for commit in $(git rev-list "$first..HEAD"); do
    subject=$(git log -1 --format=%s "$commit")
    case $(git log -1 --format=%P "$commit") in *" "*) complain "$commit" "rebase instead of merging" ;; esac
    echo "$subject" | grep -Eq '^[a-z][a-z -]*: [a-z]' || complain "$commit" "its subject is not \`area: change\`"
    [ "${#subject}" -le 90 ] || complain "$commit" "its subject has more than 90 characters"
    [ -n "$(git log -1 --format=%b "$commit")" ] || complain "$commit" "its body does not say why"
done
exit "$wrong"
