# Prints the task and everything that an answer is likely to hold.
answer() {
    cat << 'END OF WORDS'
@words_plain@
END OF WORDS
}
answer
