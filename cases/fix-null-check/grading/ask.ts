/** What the candidate's parser makes of a query, as plain data. */
import { parse } from "../src/index.ts";

export interface Answer {
  node?: unknown;
  error?: { name?: string; message?: string; position?: number };
}

export function ask(query: string): Answer {
  try {
    return { node: parse(query) };
  } catch (error) {
    const { name, message, position } = error as { name?: string; message?: string; position?: number };
    return { error: { name, message, position } };
  }
}
