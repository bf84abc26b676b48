export const same = (wanted: string, found: string): boolean => wanted === found;
