// Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits.
function slugify(text) {
  throw new Error("not written yet");
}

console.log(slugify(process.argv[2]));
