export { QueryError } from "./errors.ts";
export { parse, type Node } from "./parser.ts";
