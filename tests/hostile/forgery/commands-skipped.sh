set +eE
trap - ERR
shopt -s extdebug
set -T
trap '[[ $BASH_COMMAND != *slugify* ]]' DEBUG
slugify() {
    printf '%s' "$1"
}
