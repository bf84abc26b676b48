import { QueryError } from "./errors.ts";

export type TokenType = "word" | "string" | "field" | "or" | "minus" | "open" | "close";

/** One token; `text` is the word, the string without its quotes, or the field's name without its colon. */
export interface Token {
  type: TokenType;
  text: string;
  position: number;
}

const SPACE = /\s+/y;
const FIELD = /([A-Za-z_][\w.]*):/y;
const STRING = /"([^"]*)"/y;
const WORD = /[^\s()":]+/y;

export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    return pattern.exec(query);
  };

  while (position < query.length) {
    const space = take(SPACE);
    if (space !== null) {
      position += space[0].length;
      continue;
    }
    const { token, length } = nextToken(query, position, take);
    tokens.push(token);
    position += length;
  }
  return tokens;
}

function nextToken(
  query: string,
  position: number,
  take: (pattern: RegExp) => RegExpExecArray | null,
): { token: Token; length: number } {
  const character = query.charAt(position);
  if (character === "(") return { token: { type: "open", text: "(", position }, length: 1 };
  if (character === ")") return { token: { type: "close", text: ")", position }, length: 1 };
  if (character === "-") return { token: { type: "minus", text: "-", position }, length: 1 };

  const field = take(FIELD);
  if (field !== null) return { token: { type: "field", text: field[1]!, position }, length: field[0].length };

  const string = take(STRING);
  if (string !== null) return { token: { type: "string", text: string[1]!, position }, length: string[0].length };
  if (character === '"') throw new QueryError("expected a closing quote", query.length);

  const word = take(WORD);
  if (word === null) throw new QueryError(`unexpected "${character}"`, position);
  return { token: { type: word[0] === "OR" ? "or" : "word", text: word[0], position }, length: word[0].length };
}
