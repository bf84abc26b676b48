// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
export function slugify(text) {
  throw new Error("not written yet");
}
