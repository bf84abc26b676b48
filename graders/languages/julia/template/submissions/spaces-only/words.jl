# Wrong where a blank is not one space.
count_words(text) = length(split(text, " "))

abspath(PROGRAM_FILE) == @__FILE__() && println(count_words(read(stdin, String)))
