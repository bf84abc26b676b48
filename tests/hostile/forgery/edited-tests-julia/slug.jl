slugify(text) = text
