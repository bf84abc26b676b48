import { QueryError } from "./errors.ts";
import { type Token, tokenize } from "./tokens.ts";

export type Node =
  | { type: "all" }
  | { type: "text"; text: string }
  | { type: "field"; name: string; value: string }
  | { type: "not"; operand: Node }
  | { type: "and" | "or"; operands: Node[] };

export function parse(query: string): Node {
  const tokens = tokenize(query);
  if (tokens.length === 0) return { type: "all" };
  const parser = new Parser(tokens, query.length);
  const node = parser.either();
  parser.end();
  return node;
}

/** A recursive descent parser: one method a rule of the grammar, the loosest first. */
class Parser {
  private next = 0;

  constructor(
    private readonly tokens: Token[],
    private readonly length: number,
  ) {}

  either(): Node {
    const operands = [this.both()];
    while (this.peek()?.type === "or") {
      this.next += 1;
      operands.push(this.both());
    }
    return operands.length === 1 ? operands[0]! : { type: "or", operands };
  }

  end(): void {
    const token = this.peek();
    if (token !== null) throw this.unexpected(token);
  }

  private both(): Node {
    const operands = [this.term()];
    for (let token = this.peek(); token !== null && !["or", "close"].includes(token.type); token = this.peek()) {
      operands.push(this.term());
    }
    return operands.length === 1 ? operands[0]! : { type: "and", operands };
  }

  private term(): Node {
    const token = this.take("expected a term");
    switch (token.type) {
      case "minus":
        return { type: "not", operand: this.term() };
      case "open":
        return this.group();
      case "field":
        return { type: "field", name: token.text, value: this.value(token) };
      case "word":
      case "string":
        return { type: "text", text: token.text };
      case "or":
        throw new QueryError("expected a term", token.position);
      case "close":
        throw this.unexpected(token);
    }
  }

  private group(): Node {
    const node = this.either();
    const token = this.take('expected ")"');
    if (token.type !== "close") throw this.unexpected(token);
    return node;
  }

  private value(field: Token): string {
    const expected = `expected a value after "${field.text}:"`;
    const token = this.take(expected);
    if (token.type !== "word" && token.type !== "string") throw new QueryError(expected, token.position);
    return token.text;
  }

  private unexpected(token: Token): QueryError {
    return new QueryError(`unexpected "${token.text}"`, token.position);
  }

  private peek(): Token | null {
    return this.tokens[this.next] ?? null;
  }

  /** Return the next token; where the query has ended, say what was expected. */
  private take(expected: string): Token {
    const token = this.peek();
    if (token === null) throw new QueryError(expected, this.length);
    this.next += 1;
    return token;
  }
}
