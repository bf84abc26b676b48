"Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits."
slugify(text) = join((found.match for found in eachmatch(r"[a-z0-9]+", lowercase(text))), "-")

# @canary@
