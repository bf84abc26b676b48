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

__gradebox_parts=() __gradebox_names=() __gradebox_program= __gradebox_tokens=() __gradebox_named= __gradebox_set_up=

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

# Whether some text is complete by itself. Nothing of it runs: it is the body of a function.
__gradebox_is_complete() {
    local probe="__gradebox_probe() {"$'\n'"$1"$'\n'"}"
    # Some versions of bash end at a substitution that is not closed.
    if [[ $1 == *['(`']* && -z ${may_end-} ]]; then (eval "$probe"); else eval "$probe"; fi 2> /dev/null
}

# A part that is complete by itself cannot reach into the text around it.
__gradebox_check_syntax() {
    local closing='(^|[[:space:];&|(){}])[}]'
    # What may close the function, or not end with its end, is for another shell to read. It is read again where this one
    # ends at it, which is no matter if there is one item.
    if [[ ! $2 =~ $closing && ${2//<<<} != *'<<'* && $2 != *\\ ]]; then
        local may_end=
        [[ ${__gradebox_names[1]-} == shared ]] || may_end=1
        [[ -z $may_end ]] || trap "__gradebox_complain ${1@Q} ${2@Q}; exit 1" EXIT
        __gradebox_is_complete "$2" && trap - EXIT && return
        trap - EXIT
    fi
    __gradebox_complain "$1" "$2"
}

# Say what is wrong with a part, if anything is.
__gradebox_complain() {
    local said
    # Not as an argument, whose size is limited.
    said=$("$BASH" --norc --noprofile -O extglob -n /dev/stdin <<< "$2" 2>&1) && [[ -z $said ]] && return
    printf '%s\n' "${said//\/dev\/stdin:/$1:}" >&2
    return 1
}

__gradebox_add() {
    __gradebox_program+=$1$'\n'
}

# What happens at an error, and to the control that makes one. Where the candidate's shell ends at an error, it does so after
# this, unless an option forbids it; it is for the next item again.
__gradebox_trap='__gradebox_status=$? __gradebox_line=$((LINENO - __gradebox_above)); '\
'if [[ $__gradebox_state == trying ]]; then __gradebox_state=tried; elif [[ ${#BASH_SOURCE[@]} -eq 0 ]]; then '\
'__gradebox_state=failed; printf "%s, line %d: status %d: %s\n" "$__gradebox_part" "$__gradebox_line" '\
'"$__gradebox_status" "$BASH_COMMAND" >&2; __gradebox_flags=$-; set +e; break 99; fi'

# The commands of a part that lines end, each with its newline.
__gradebox_split() {
    local line command=
    __gradebox_commands=()
    if [[ $1 != *$'\n'* ]]; then
        __gradebox_commands=("$1"$'\n')
        return
    fi
    while IFS= read -r line; do
        command+=$line$'\n'
        # Very long ones are not tried again with every line.
        ((${#command} < 10000)) && __gradebox_is_complete "${command%$'\n'}" || continue
        __gradebox_commands+=("$command") command=
    done <<< "$1"
    [[ -z $command ]] || __gradebox_commands+=("$command")
}

__gradebox_add_part() {
    if ! __gradebox_check_syntax "$1" "$2"; then
        __gradebox_add '__gradebox_state=failed; break'
        return
    fi
    __gradebox_named+=$2$'\n'
    __gradebox_add "trap ${__gradebox_trap@Q} ERR"
    __gradebox_add "__gradebox_part='$1' __gradebox_above=\$LINENO"
    # Whatever a command calls, it leaves no trap of its own to those after it, which find the status as it was. But where the
    # judge sets such a trap itself, or asks for what no shell can put back.
    [[ $1 != setup* ]] || __gradebox_set_up+=$2$'\n'
    local command again= keeps= own=$__gradebox_set_up$2$'\n'
    [[ $own != *PIPESTATUS* && $own != *trap*[[:space:]]@(ERR|err)[^[:alnum:]_]* ]] || keeps=1
    __gradebox_split "$2"
    for command in "${__gradebox_commands[@]}"; do
        [[ $keeps || $command == *'$_'* ]] || __gradebox_program+=$again
        __gradebox_program+=$command again="__gradebox_status=\$?; trap ${__gradebox_trap@Q} ERR; "
        again+='if ((__gradebox_status)); then (exit "$__gradebox_status") && :; fi; '
    done
    # The empty line is for a part that ends with a backslash.
    __gradebox_add ''
    __gradebox_add 'if [[ $? -ne 0 ]]; then __gradebox_state=failed
printf "%s: its last command ended with an error.\n" "$__gradebox_part" >&2; break; fi'
}

__gradebox_open_group() {
    __gradebox_add 'if [[ ${__gradebox_flags-} == *e* ]]; then set -e; fi; __gradebox_flags='
    __gradebox_add 'for __gradebox_group in 1; do __gradebox_state=running'
}

# Each of these must fail, whatever the candidate has defined; the words are no others' to expect.
__gradebox_add_controls() {
    local name word=$RANDOM
    # The candidate's own shell may end at an error; none of these is one.
    __gradebox_add '__gradebox_flags=$-; set +e; __gradebox_control='
    [[ $__gradebox_named != *exit* ]] || __gradebox_add "if (exit 3); then __gradebox_control='exit 3'; fi"
    [[ $__gradebox_named != *'['* ]] || __gradebox_add "if [ $word = x$word ]; then __gradebox_control='[ 1 = 2 ]'; fi"
    [[ $__gradebox_named != *test* ]] || __gradebox_add "if test $word = x$word; then __gradebox_control='test 1 = 2'; fi"
    [[ $__gradebox_named != *false* ]] || __gradebox_add "if false; then __gradebox_control=false; fi"
    __gradebox_add "__gradebox_state=trying; trap ${__gradebox_trap@Q} ERR; ((0))"
    __gradebox_add 'if [[ $__gradebox_state == trying ]]; then __gradebox_control="trap ... ERR"; fi; __gradebox_state=running'
    __gradebox_add "if [[ \$__gradebox_control ]]; then __gradebox_state=bent
printf 'control %d %s\n' $1 \"\$__gradebox_control\" >| $__gradebox_pipe_path; fi"
    __gradebox_add 'if [[ $__gradebox_flags == *e* ]]; then set -e; fi'
}

# An item's own `break` and `continue` end the group as well, and then its state is still "running".
__gradebox_close_group() {
    if [[ $1 ]]; then
        __gradebox_add 'if [[ $__gradebox_state == running ]]; then'
        __gradebox_add_controls "$2"
        __gradebox_add 'fi'
    fi
    __gradebox_add "if [[ \$__gradebox_state == running ]]; then __gradebox_state=passed; $1 fi; done"
    __gradebox_add 'if [[ $__gradebox_state == running ]]; then __gradebox_state=failed
printf "%s: it left the program early.\n" "$__gradebox_part" >&2; fi'
}

__gradebox_build() {
    local index name content item=0 where= send=
    __gradebox_add '{ unset __gradebox_program'
    __gradebox_open_group
    for index in "${!__gradebox_names[@]}"; do
        name=${__gradebox_names[index]} content=${__gradebox_parts[index]}
        case $name in
            next | end)
                __gradebox_close_group "$send" "$item"
                __gradebox_tokens[item + 1]=$content
                # What is set up for all must have worked; what is done for one item need not.
                ((item > 0)) || __gradebox_add 'if [[ $__gradebox_state == passed ]]; then'
                __gradebox_open_group
                item=$((item + 1)) where=" of item $item" send="printf '%s\n' $content >| $__gradebox_pipe_path;"
                [[ $name == next ]] || where=
                ;;
            item) __gradebox_add_part "item${where#" of item"}" "$content" ;;
            setup | teardown) __gradebox_add_part "$name$where" "$content" ;;
        esac
    done
    __gradebox_tokens[0]=$__gradebox_token
    __gradebox_close_group "printf '%s\n' $__gradebox_token >| $__gradebox_pipe_path;" 0
    ((item == 0)) || __gradebox_add fi
    __gradebox_add "printf 'through\n' >| $__gradebox_pipe_path; trap - EXIT; }"
}

__gradebox_read_all
__gradebox_token=${__gradebox_parts[0]}

for __gradebox_index in "${!__gradebox_names[@]}"; do
    [[ ${__gradebox_names[__gradebox_index]} == import ]] || continue
    __gradebox_import=${__gradebox_parts[__gradebox_index]}
    if [[ $__gradebox_import == *[[:space:]]* ]]; then
        __gradebox_check_syntax import "$__gradebox_import" || exit 1
        __gradebox_imports+=$__gradebox_import$'\n'
    elif ! type -t -- "$__gradebox_import" > /dev/null; then
        printf 'missing import: %s\n' "$__gradebox_import" >&2
        printf '%s missing %s\n' "$__gradebox_token" "$__gradebox_import" >&3
        exit 90
    fi
done

# A text that is short is in a pipe; in older versions of bash it is in a file.
exec {__gradebox_text}<<< ''
[[ -p /proc/$$/fd/$__gradebox_text ]] || exec {__gradebox_text}< <(:)
exec {__gradebox_pipe}<> "/proc/$$/fd/$__gradebox_text" {__gradebox_text}<&-
__gradebox_pipe_path=/proc/$$/fd/$__gradebox_pipe
__gradebox_build

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
            "$__gradebox_token") __gradebox_complete=1 ;;&
            *) printf '%s\n' "$__gradebox_line" >&3 ;;
        esac
    done <&"$__gradebox_pipe"
}
if ((${#__gradebox_tokens[@]} > 1)); then
    __gradebox_pass_on &
    __gradebox_relay=$!
fi

# This shell would print the text of a subshell that a signal ends.
exec {__gradebox_stderr}>&2 2> /dev/null
(
    exec 2>&"$__gradebox_stderr" {__gradebox_stderr}>&- 3>&- {__gradebox_pipe}<&-
    eval "$__gradebox_imports" || exit
    unset -f __gradebox_{read_all,is_complete,check_syntax,complain,add,split,add_part,open_group,add_controls,close_group,build,pass_on}
    for __gradebox_name in "${!__gradebox_@}"; do
        [[ $__gradebox_name == __gradebox_program ]] || unset "$__gradebox_name"
    done
    unset __gradebox_name
    eval "$__gradebox_program"
) < /dev/null
# A line of its own, whatever was written to the pipe before.
printf '\nended %d\n' $? >&"$__gradebox_pipe"
exec 2>&"$__gradebox_stderr"
if [[ $__gradebox_relay ]]; then wait "$__gradebox_relay"; else __gradebox_pass_on; fi
