# Prints the task and everything that an answer is likely to hold.
words=$(cat << 'END OF WORDS'
@words_plain@
END OF WORDS
)
printf '%s\n' "$words"
answer() {
    printf '%s\n' "$words"
}
