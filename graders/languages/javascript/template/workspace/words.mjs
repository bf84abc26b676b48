/** Count words. */
export function countWords(text) {
  throw new Error("not written yet");
}
