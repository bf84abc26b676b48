# shellcheck shell=bash
# Calls functions of a script, and writes what they print: `bash --norc --noprofile -c SOURCE bash FIRST`.
# inside/calls.sh says what the descriptors are. This is the candidate's process. Each call is made in a subshell,
# so what it sets is gone after it. What it prints, without the last newlines, is what it returns. A status other than 0
# is what it raises.

__gradebox_text() {
    local text=$1 number code character
    ((${#text} <= 1000000)) || return
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    for ((number = 1; number < 32; number++)); do
        printf -v code '%03o' "$number"
        printf -v character '%b' "\\0$code"
        [[ $text != *"$character"* ]] && continue
        printf -v code '\\u%04x' "$number"
        text=${text//"$character"/$code}
    done
    __gradebox_quoted=\"$text\"
}

__gradebox_number=$1
IFS= read -r -u 3 __gradebox_from
[[ $__gradebox_from == */* ]] || __gradebox_from=./$__gradebox_from
__gradebox_problem=
if [[ ! -r $__gradebox_from ]]; then
    __gradebox_problem='was not made: its file cannot be loaded: there is no such file'
else
    . "$__gradebox_from" 3>&- 4>&-
fi
# Functions are called as the script that defines them wants it; these options are not for the lines here.
__gradebox_options=$-
set +eu
while IFS=$'\t' read -r -u 3 __gradebox_name __gradebox_args; do
    __gradebox_said=$__gradebox_problem
    if [[ ! $__gradebox_said ]] && ! type -t -- "$__gradebox_name" > /dev/null; then
        __gradebox_said="was not made: there is no function $__gradebox_name"
    fi
    if [[ $__gradebox_said ]]; then
        __gradebox_said="$__gradebox_number $__gradebox_said"
    else
        __gradebox_out=$(
            exec 3>&- 4>&-
            eval "set -- $__gradebox_args"
            [[ $__gradebox_options != *u* ]] || set -u
            [[ $__gradebox_options != *e* ]] || set -e
            "$__gradebox_name" "$@"
        )
        __gradebox_status=$? __gradebox_quoted=
        if ((__gradebox_status)); then
            __gradebox_said="[\"!\",$__gradebox_number,[\"status\"],\"$__gradebox_status\"]"
        else
            __gradebox_text "$__gradebox_out"
            __gradebox_said="[\"=\",$__gradebox_number,$__gradebox_quoted]"
            [[ $__gradebox_quoted ]] ||
                __gradebox_said="$__gradebox_number did not return data: a text of more than a million characters"
        fi
    fi
    printf '%s\n' "$__gradebox_said" >&4
    __gradebox_number=$((__gradebox_number + 1))
done
exit 0
