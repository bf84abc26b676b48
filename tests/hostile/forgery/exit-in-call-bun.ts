export function slugify(text: string): string {
  process.exit(0);
}
