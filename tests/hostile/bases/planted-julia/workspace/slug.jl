"Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits."
slugify(text) = error("not written yet")
