/** A query that makes no sense, and where the parser lost the thread. */
export class QueryError extends Error {
  override readonly name = "QueryError";

  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}
