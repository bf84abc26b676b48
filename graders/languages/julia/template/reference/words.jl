"How many words a text has."
count_words(text) = length(split(text))

abspath(PROGRAM_FILE) == @__FILE__() && println(count_words(read(stdin, String)))
