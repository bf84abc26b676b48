// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
export function slugify(text: string): string {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");
}

// Return a text in upper case.
export function shout(text: string): string {
  return text.toUpperCase();
}

// @canary@
