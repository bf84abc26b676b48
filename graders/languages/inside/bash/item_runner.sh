# Runs one item, or many that share a process: `bash --norc --noprofile -c SOURCE`. The protocol is described in
# graders/languages/item_protocol.py.
#
# Processes. The items run in a subshell. This shell runs none of their code: it holds descriptor 3 and a pipe. The
# subshell has neither open, so nothing that an item starts inherits them. A program that is through opens the pipe in
# /proc and sends its token, which is passed on to descriptor 3: by this shell at the end, or by a third process if there
# are many items. There are no other processes, because each costs much of what the shell costs.
#
# The whole program is one compound command. It is parsed before any of it runs, so no alias of the candidate's changes
# it, and its tokens are in no variable while it runs. What decides is done by keywords and assignments, for which no
# function of the candidate's can stand in.
#
# An error is what `set -e` takes for one, but only at the top level of a part: inside functions and sourced files a
# status other than 0 is the candidate's to use. An import that is one word names a command that must be there. Every part
# begins with a trap of its own, whatever the candidate's files trapped.
#
# After an item, what it can have relied on must still fail: `[`, `test`, `false` and `exit` if it names them, and the trap.
# No token is in sight of whatever stands in for them; it is added where it is passed on.
#
# Bash reads this text as far as it runs it, and an item costs little more than that: what few items need stands behind the
# `exit`, and is read where one needs it.

__gradebox_parts=() __gradebox_names=()

__gradebox_read_all() {
    # read -N counts characters, which are bytes in this locale.
    local name length content LC_ALL=C
    while read -r name length; do
        content=
        ((length == 0)) || IFS= read -r -N "$length" content || return
        read -r
        __gradebox_names+=("$name") __gradebox_parts+=("$content")
    done
}
__gradebox_read_all

__gradebox_load_rest() {
    [[ $__gradebox_rest ]] || eval "${BASH_EXECUTION_STRING#*$'\nexit\n'}"
    __gradebox_rest=1
}

# Whether some text is complete by itself. Nothing of it runs: it is the body of a function. Some versions of bash end at a
# substitution that is not closed, which is no matter if there is one item: its text is looked at again then.
__gradebox_is_complete() {
    local probe="__gradebox_probe() {"$'\n'"$1"$'\n'"}"
    if [[ $1 == *['(`']* && ! $__gradebox_looks_again ]]; then (eval "$probe"); else eval "$probe"; fi 2> /dev/null
}

# A part that is complete by itself cannot reach into the text around it. What may close the function, or not end with its
# end, is for another shell to read.
__gradebox_check_syntax() {
    __gradebox_checked=$1 __gradebox_text=$2
    [[ $2 != '}'* && $2 != *[[:space:]\;\&\|\(\)\{\}]'}'* && ${2//<<<} != *'<<'* && $2 != *\\ ]] &&
        __gradebox_is_complete "$2" && return
    __gradebox_load_rest
    __gradebox_complain
}

# What happens at an error, and to the control that makes one. Where the candidate's shell ends at an error, it does so after
# this, unless an option forbids it; it is for the next item again.
__gradebox_trap='trap '\''__gradebox_status=$? __gradebox_line=$((LINENO - __gradebox_above)); '\
'if [[ $__gradebox_state == trying ]]; then __gradebox_state=tried; elif [[ ${#BASH_SOURCE[@]} -eq 0 ]]; then '\
'__gradebox_state=failed; printf "%s, line %d: status %d: %s\n" "$__gradebox_part" "$__gradebox_line" '\
'"$__gradebox_status" "$BASH_COMMAND" >&2; __gradebox_flags=$-; set +e; break 99; fi'\'' ERR'

# The empty line is for a part that ends with a backslash.
__gradebox_add_part() {
    if ! __gradebox_check_syntax "$1" "$2"; then
        __gradebox_program+=$'__gradebox_state=failed; break\n'
        return
    fi
    __gradebox_named+=$2$'\n'
    [[ $1 != setup* ]] || __gradebox_set_up+=$2$'\n'
    local commands=$2$'\n'
    if [[ $2 == *$'\n'* ]]; then
        __gradebox_load_rest
        __gradebox_split "$2"
    fi
    __gradebox_program+="$__gradebox_trap
__gradebox_part='$1' __gradebox_above=\$LINENO
$commands
if [[ \$? -ne 0 ]]; then __gradebox_state=failed
printf '%s: its last command ended with an error.\\n' \"\$__gradebox_part\" >&2; break; fi
"
}

__gradebox_open_group='for __gradebox_group in 1; do __gradebox_state=running
'

# An item's own `break` and `continue` end the group as well, and then its state is still "running". Each of the controls must
# fail, whatever the candidate has defined; the words are no others' to expect. The candidate's own shell may end at an
# error; none of these is one.
__gradebox_close_group() {
    local controls= word=$RANDOM
    [[ $__gradebox_named != *exit* ]] || controls+="if (exit 3); then __gradebox_control='exit 3'; fi
"
    [[ $__gradebox_named != *'['* ]] || controls+="if [ $word = x$word ]; then __gradebox_control='[ 1 = 2 ]'; fi
"
    [[ $__gradebox_named != *test* ]] || controls+="if test $word = x$word; then __gradebox_control='test 1 = 2'; fi
"
    [[ $__gradebox_named != *false* ]] || controls+="if false; then __gradebox_control=false; fi
"
    [[ ! $1 ]] || __gradebox_program+="if [[ \$__gradebox_state == running ]]; then
__gradebox_flags=\$-; set +e; __gradebox_control=
${controls}__gradebox_state=trying; $__gradebox_trap; ((0))
if [[ \$__gradebox_state == trying ]]; then __gradebox_control='trap ... ERR'; fi; __gradebox_state=running
if [[ \$__gradebox_control ]]; then __gradebox_state=bent
printf 'control %d %s\\n' $2 \"\$__gradebox_control\" >| $__gradebox_pipe_path; fi
if [[ \$__gradebox_flags == *e* ]]; then set -e; fi
fi
"
    __gradebox_program+="if [[ \$__gradebox_state == running ]]; then __gradebox_state=passed
${1:+printf '%s\\n' $1 >| $__gradebox_pipe_path;} fi; done
if [[ \$__gradebox_state == running ]]; then __gradebox_state=failed
printf '%s: it left the program early.\\n' \"\$__gradebox_part\" >&2; fi
"
}

__gradebox_token=${__gradebox_parts[0]} __gradebox_tokens=("$__gradebox_token") __gradebox_shared=
if [[ ${__gradebox_names[1]} == @(shared|import) ]]; then
    __gradebox_load_rest
    __gradebox_import
fi

# A text that is short is in a pipe; in older versions of bash it is in a file.
exec {__gradebox_text}<<< ''
[[ -p /proc/$$/fd/$__gradebox_text ]] || exec {__gradebox_text}< <(:)
exec {__gradebox_pipe}<> "/proc/$$/fd/$__gradebox_text" {__gradebox_text}<&-
__gradebox_pipe_path=/proc/$$/fd/$__gradebox_pipe

if [[ ! $__gradebox_shared ]]; then
    __gradebox_looks_again=1
    trap '__gradebox_load_rest; __gradebox_complain; exit 1' EXIT
fi
__gradebox_item=0 __gradebox_where= __gradebox_send=
__gradebox_program="{ set --
__gradebox_flags=
$__gradebox_open_group"
for __gradebox_index in "${!__gradebox_names[@]}"; do
    __gradebox_name=${__gradebox_names[__gradebox_index]} __gradebox_content=${__gradebox_parts[__gradebox_index]}
    case $__gradebox_name in
        next | end)
            __gradebox_close_group "$__gradebox_send" "$__gradebox_item"
            # What is set up for all must have worked; what is done for one item need not.
            ((__gradebox_item)) || __gradebox_program+=$'if [[ $__gradebox_state == passed ]]; then\n'
            __gradebox_program+='if [[ ${__gradebox_flags-} == *e* ]]; then set -e; fi; __gradebox_flags='$'\n'$__gradebox_open_group
            __gradebox_item=$((__gradebox_item + 1)) __gradebox_where=" of item $__gradebox_item"
            __gradebox_tokens[__gradebox_item]=$__gradebox_content __gradebox_send=$__gradebox_content
            [[ $__gradebox_name == next ]] || __gradebox_where=
            ;;
        item) __gradebox_add_part "item${__gradebox_where#" of item"}" "$__gradebox_content" ;;
        setup | teardown) __gradebox_add_part "$__gradebox_name$__gradebox_where" "$__gradebox_content" ;;
    esac
done
__gradebox_close_group "$__gradebox_token" 0
((__gradebox_item == 0)) || __gradebox_program+=$'fi\n'
__gradebox_program+="if [[ \$__gradebox_state != passed ]]; then printf 'through\\n' >| $__gradebox_pipe_path; fi; trap - EXIT; }"
[[ ! $__gradebox_looks_again ]] || trap - EXIT

__gradebox_pass_on() {
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
            "$__gradebox_token") __gradebox_complete=1 __gradebox_through=1 ;;&
            *) printf '%s\n' "$__gradebox_line" >&3 ;;
        esac
    done <&"$__gradebox_pipe"
}
if [[ $__gradebox_shared ]]; then
    __gradebox_pass_on &
    __gradebox_relay=$!
fi

# This shell would print the text of a subshell that a signal ends.
exec {__gradebox_stderr}>&2 2> /dev/null
(
    exec 2>&"$__gradebox_stderr" {__gradebox_stderr}>&- 3>&- {__gradebox_pipe}<&-
    [[ ! $__gradebox_imports ]] || eval "$__gradebox_imports" || exit
    unset -f __gradebox_{read_all,load_rest,is_complete,check_syntax,add_part,close_group,pass_on,import,complain,split,probe}
    set -- "$__gradebox_program"
    unset "${!__gradebox_@}"
    eval "$1"
) < /dev/null
# A line of its own, whatever was written to the pipe before.
printf '\nended %d\n' $? >&"$__gradebox_pipe"
exec 2>&"$__gradebox_stderr"
if [[ $__gradebox_relay ]]; then wait "$__gradebox_relay"; else __gradebox_pass_on; fi
exit

__gradebox_import() {
    local index import
    for index in "${!__gradebox_names[@]}"; do
        import=${__gradebox_parts[index]}
        [[ ${__gradebox_names[index]} != shared ]] || __gradebox_shared=1
        [[ ${__gradebox_names[index]} == import ]] || continue
        if [[ $import == *[[:space:]]* ]]; then
            __gradebox_check_syntax import "$import" || exit 1
            __gradebox_imports+=$import$'\n'
        elif ! type -t -- "$import" > /dev/null; then
            printf 'missing import: %s\n' "$import" >&2
            printf '%s missing %s\n' "$__gradebox_token" "$import" >&3
            exit 90
        fi
    done
}

# Say what is wrong with the part that was checked, if anything is.
__gradebox_complain() {
    local said
    # Not as an argument, whose size is limited.
    said=$("$BASH" --norc --noprofile -O extglob -n /dev/stdin <<< "$__gradebox_text" 2>&1) && [[ -z $said ]] && return
    printf '%s\n' "${said//\/dev\/stdin:/$__gradebox_checked:}" >&2
    return 1
}

# Make the caller's commands of a part: those that lines end, each with its newline. Whatever a command calls, it leaves no
# trap of its own to those after it, which find the status as it was. But where the judge sets such a trap itself, or asks
# for what no shell can put back.
__gradebox_split() {
    local line command= again= keeps= __gradebox_looks_again=
    [[ $__gradebox_set_up$1 != *PIPESTATUS* && $__gradebox_set_up$1$'\n' != *trap*[[:space:]]@(ERR|err)[^[:alnum:]_]* ]] || keeps=1
    commands=
    while IFS= read -r line; do
        command+=$line$'\n'
        # Very long ones are not tried again with every line.
        ((${#command} < 10000)) && __gradebox_is_complete "${command%$'\n'}" || continue
        [[ $keeps || $command == *'$_'* ]] || commands+=$again
        commands+=$command command=
        again="__gradebox_status=\$?; $__gradebox_trap; if ((__gradebox_status)); then (exit \"\$__gradebox_status\") && :; fi; "
    done <<< "$1"
    [[ $keeps || $command == *'$_'* || ! $command ]] || commands+=$again
    commands+=$command
}
