export function fields(line: string | null): string[] {
  return line!.split(",").map((field) => field.trim());
}
