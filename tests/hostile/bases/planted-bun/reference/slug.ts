// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
export function slugify(text: string): string {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");
}

if (import.meta.main) console.log(slugify(Bun.argv[2]));

// @canary@
