"How many words a text has."
count_words(text) = error("not written yet")
