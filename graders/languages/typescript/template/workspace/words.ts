/** Count words. */
export function countWords(text: string): number {
  throw new Error("not written yet");
}
