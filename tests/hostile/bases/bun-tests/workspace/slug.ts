// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
export function slugify(text: string): string {
  throw new Error("not written yet");
}

// Return a text in upper case.
export function shout(text: string): string {
  throw new Error("not written yet");
}
