// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
function slugify(text) {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");
}

console.log(slugify(process.argv[2]));

// @canary@
