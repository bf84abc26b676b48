// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
export function slugify(text) {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");
}

// @canary@
