# shellcheck shell=bash
# Runs one item, or many that share a process: `bash --norc --noprofile -c SOURCE`. Stdin is what
# graders/languages/bash_program.py makes of the parts that graders/languages/item_protocol.py describes.
#
# Processes. The items run in a subshell. This shell runs none of their code: it holds descriptor 3 and a pipe. The
# subshell has neither open, so nothing that an item starts inherits them. A program that is through opens the pipe in
# /proc and sends its token, which is passed on to descriptor 3: by this shell at the end, or by a third process if there
# are many items. There are no other processes, because each costs much of what the shell costs.
#
# An import that is one word names a command that must be there.
#
# What an item costs are pages of memory: bash reads this text as far as it runs it, and keeps what functions hold. So there
# are none up to the `exit`, and what few items need stands behind it. What is read before the fork costs less than after it.

# A part that is complete by itself cannot reach into the text around it. Nothing of it runs: it is a group that has no turn.
# What may end that group, or this shell, is for another shell to read.
__gradebox_tokens=()
exec 8>&2 2> /dev/null
while read -r __gradebox_kind __gradebox_label; do
    # read -N counts characters, which are bytes in this locale.
    IFS= LC_ALL=C read -r -N $((${__gradebox_label##* } + 1)) __gradebox_content || break
    case $__gradebox_kind in
        token) __gradebox_tokens+=("${__gradebox_content%?}") ;;
        again) __gradebox_again=${__gradebox_content%?} ;;
        text) __gradebox_program+=${__gradebox_content//WORD/$RANDOM} ;;
        *)
            __gradebox_sound=
            [[ $__gradebox_kind != *\? ]] && eval ": || {"$'\n'"$__gradebox_content}" && __gradebox_sound=1
            if [[ ! $__gradebox_sound || $__gradebox_kind != whole ]]; then
                __gradebox_text=${__gradebox_content%?}
                [[ $__gradebox_rest ]] || eval "${BASH_EXECUTION_STRING#*$'\nexit\n'}"
                __gradebox_take
            fi
            __gradebox_program+=$__gradebox_content
            ;;
    esac
done

# A text that is short is in a pipe; in older versions of bash it is in a file.
exec 9<<< ''
[[ -p /proc/$$/fd/9 ]] || exec 9< <(:)
exec 2>&8 9<> "/proc/$$/fd/9"
__gradebox_relay=
if [[ ${__gradebox_tokens[1]} ]]; then
    eval "${BASH_EXECUTION_STRING#*$'\nexec 2>&8\n'}" &
    __gradebox_relay=$!
fi

# What an import changes in how bash reads a text, it changes for the program. This shell would print the text of a subshell
# that a signal ends.
set -- "$__gradebox_program" "$__gradebox_imports"
[[ ! $2 ]] || __gradebox_program='eval "$2" || exit; eval "$1"'
eval "{ exec 2> /dev/null; (
unset \${!__gradebox_@}; ${__gradebox_rest:+unset -f $__gradebox_rest}
$__gradebox_program
) < /dev/null 2>&8 8>&- 3>&- 9<&-; }"
# A line of its own, whatever was written to the pipe before.
printf '\nended %d\n' $? >&9
[[ ! $__gradebox_relay ]] || {
    wait "$__gradebox_relay"
    exit
}
exec 2>&8
while IFS= read -r __gradebox_line; do
    case $__gradebox_line in
        '') ;;
        through) __gradebox_through=1 ;;
        'ended '*)
            [[ $__gradebox_through ]] || printf 'The program exited before its end, with status %d.\n' "${__gradebox_line#* }" >&2
            [[ $__gradebox_complete ]] && exit 0
            exit 1
            ;;
        'control '*)
            read -r _ __gradebox_index __gradebox_control <<< "$__gradebox_line"
            [[ $__gradebox_index =~ ^[0-9]+$ && ${__gradebox_tokens[__gradebox_index]} ]] || continue
            printf 'What must fail passed after the item: %s\n' "$__gradebox_control" >&2
            printf '%s control %s\n' "${__gradebox_tokens[__gradebox_index]}" "$__gradebox_control" >&3
            ;;
        "$__gradebox_tokens") __gradebox_complete=1 __gradebox_through=1 ;;&
        *) printf '%s\n' "$__gradebox_line" >&3 ;;
    esac
done <&9
exit

__gradebox_rest='__gradebox_take __gradebox_complain __gradebox_split'

# Make what the program gets of a part that is not sound, or that few items have.
__gradebox_take() {
    if [[ $__gradebox_kind == import* && $__gradebox_text != *[[:space:]]* ]]; then
        __gradebox_content=
        type -t -- "$__gradebox_text" > /dev/null && return
        printf 'missing import: %s\n' "$__gradebox_text" >&8
        printf '%s missing %s\n' "$__gradebox_tokens" "$__gradebox_text" >&3
        exit 90
    elif [[ ! $__gradebox_sound ]] && ! __gradebox_complain; then
        __gradebox_content=$'__gradebox_state=failed; break\n'
        [[ $__gradebox_kind != import* ]] || exit 1
    elif [[ $__gradebox_kind == import* ]]; then
        __gradebox_imports+=$__gradebox_content __gradebox_content=
    elif [[ $__gradebox_kind == lines* ]]; then
        __gradebox_split
    fi
}

# Say what is wrong with the part that was read last, if anything is.
__gradebox_complain() {
    local said
    # Not as an argument, whose size is limited.
    said=$("$BASH" --norc --noprofile -O extglob -n /dev/stdin <<< "$__gradebox_text" 2>&1) && [[ -z $said ]] && return 0
    printf '%s\n' "${said//\/dev\/stdin:/${__gradebox_label% *}:}" >&8
    return 1
}

# Put the trap between the commands that lines end.
__gradebox_split() {
    local line command= again= newline=$'\n'
    __gradebox_content=
    while IFS= read -r line; do
        command+=$line$newline
        # Very long ones are not tried again with every line.
        # shellcheck disable=SC2015 # `if` within `&&`
        ((${#command} < 10000)) && if [[ $command == *['(`']* ]]; then (eval ": || {$newline$command}"); else
            eval ": || {$newline$command}"
        fi 2> /dev/null || continue
        [[ $command == *'$_'* ]] || __gradebox_content+=$again
        __gradebox_content+=$command command= again=$__gradebox_again
    done <<< "$__gradebox_text"
    [[ $command == *'$_'* || ! $command ]] || __gradebox_content+=$again
    __gradebox_content+=$command
}
