// What graders import as "@agentv/sdk" or "@agentv/eval". A grader reads one JSON object on stdin, calls a handler with
// it, and prints what the handler returns as JSON. No network is used: there is no model to call.
import { readFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { z } from "zod";

export { z };

// --- what a handler gets -------------------------------------------------------------------------------------------

const camel = (key) => (/^[A-Z]/.test(key) ? key : key.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()));

function camelDeep(value) {
  if (Array.isArray(value)) return value.map(camelDeep);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camel(key), camelDeep(inner)]));
}

function textOf(messages, role) {
  for (const message of [...messages].reverse()) {
    if (message.role !== role) continue;
    const { content } = message;
    if (typeof content === "string") return content;
    if (Array.isArray(content)) return content.map((block) => block.text ?? "").join("\n");
    if (content) return JSON.stringify(content);
  }
  return "";
}

// Handlers of some versions take `output` as messages, those before and after them as text: their source shows it.
const TAKES_MESSAGES =
  /\boutput\)?\s*(\?\?|\|\|)\s*\[\]|\boutput\??\.(filter|map|flatMap|find|findLast|some|every|forEach|reduce)\b|\bof\s+(\w+\.)?output\b/;

function takesMessages() {
  try {
    return TAKES_MESSAGES.test(readFileSync(process.argv[1], "utf8"));
  } catch {
    return false;
  }
}

function withTools(trace, written) {
  if (!trace || !written) return trace ?? null;
  // Names of tools stay as they are.
  const calls = written.tool_calls ?? {};
  return {
    ...trace,
    toolCalls: calls,
    toolDurations: written.tool_durations,
    toolNames: Object.keys(calls),
    toolCallsByName: calls,
  };
}

function read() {
  const written = JSON.parse(readFileSync(0, "utf8"));
  if (written === null || typeof written !== "object" || Array.isArray(written)) {
    throw new TypeError("stdin must hold one JSON object");
  }
  const input = camelDeep(written);
  for (const name of ["input", "expectedOutput", "messages", "inputFiles"]) {
    input[name] ??= [];
    if (!Array.isArray(input[name])) throw new TypeError(`${name} must be a list`);
  }
  input.criteria ??= "";
  if (typeof input.criteria !== "string") throw new TypeError("criteria must be text");
  const answer = input.output ?? null;
  if (answer !== null && typeof answer !== "string") throw new TypeError("output must be text or null");
  if (!input.messages.length && answer !== null) input.messages = [{ role: "assistant", content: answer }];
  const both = (name) => written[name] && { ...written[name], ...input[name] };
  const trace = withTools(input.trace, written.trace);
  const question = textOf(input.input, "user");
  const reference = textOf(input.expectedOutput, "assistant");
  // Handlers test what is not known for `undefined`.
  for (const name of ["costUsd", "durationMs", "tokenUsage"]) input[name] ??= undefined;
  return {
    ...input,
    output: takesMessages() ? input.messages : answer,
    config: both("config") ?? null,
    metadata: both("metadata") ?? null,
    trace,
    traceSummary: trace,
    question,
    inputText: question,
    inputMessages: input.input,
    answer: answer ?? "",
    outputText: answer ?? "",
    candidateAnswer: answer ?? "",
    outputMessages: input.messages,
    referenceAnswer: reference,
    expectedOutputText: reference,
    expectedMessages: input.expectedOutput,
    expectedOutcome: input.criteria,
    guidelineFiles: [],
  };
}

// --- what a handler returns ----------------------------------------------------------------------------------------

const clamp = (score) => (Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0);

function score(result) {
  if (typeof result.score === "number") return clamp(result.score);
  if (typeof result.pass === "boolean") return result.pass ? 1 : 0;
  const parts = result.assertions ?? result.checks ?? [];
  return parts.length ? parts.filter((part) => part.passed ?? part.pass).length / parts.length : 0;
}

async function run(handler, print) {
  try {
    console.log(print(await handler(read())));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(error instanceof Error ? (error.stack ?? message) : message);
    console.log(JSON.stringify({ score: 0, assertions: [{ text: `Evaluation failed: ${message}`, passed: false }] }));
    process.exit(1);
  }
}

function asJson(result) {
  if (result === null || typeof result !== "object") throw new TypeError("the handler must return an object");
  return JSON.stringify({ ...result, score: score(result) }, null, 2);
}

export const defineScriptGrader = (handler) => void run(handler, asJson);
export const defineCodeGrader = defineScriptGrader;
export const defineCodeJudge = defineScriptGrader;
export const defineAssertion = defineScriptGrader;

export function definePromptTemplate(handler) {
  Promise.resolve()
    .then(() => handler(read()))
    .then(console.log)
    .catch((error) => {
      console.error(error instanceof Error ? error.message : String(error));
      process.exit(1);
    });
}

// --- files of the workspace ----------------------------------------------------------------------------------------

export function createWorkspace({ workspacePath }) {
  const place = (path) => {
    const found = resolve(workspacePath, path);
    const inside = relative(workspacePath, found);
    if (!path.trim() || isAbsolute(path) || !inside || inside.startsWith("..")) {
      throw new Error(`Workspace file path must stay inside the workspace: ${path}`);
    }
    return found;
  };
  const readText = async (path) => readFileSync(place(path), "utf8");
  const file = (path) => {
    const check =
      (what, test) =>
      async (expected, options = {}) => {
        const text =
          options.text ?? `${path} ${what} ${expected instanceof RegExp ? expected : JSON.stringify(expected)}`;
        try {
          const pass = test(await readText(path), expected);
          return { text, pass, passed: pass, reason: pass ? text : `not so: ${text}` };
        } catch (error) {
          return { text, pass: false, passed: false, reason: error.message };
        }
      };
    const matches = (content, pattern) => content.search(pattern) >= 0;
    return {
      path,
      readText: () => readText(path),
      exists: (options = {}) => check("exists", () => true)("", { text: `${path} exists`, ...options }),
      contains: check("contains", (content, expected) => content.includes(expected)),
      notContains: check("does not contain", (content, expected) => !content.includes(expected)),
      matches: check("matches", matches),
      notMatches: check("does not match", (content, pattern) => !matches(content, pattern)),
    };
  };
  return { path: workspacePath, file, readText };
}

export function defineWorkspaceGrader(handler) {
  defineScriptGrader(async (input) => {
    const found = await handler({ ...input, workspace: createWorkspace(input) });
    if (!Array.isArray(found)) return "score" in found ? found : { assertions: [found] };
    return { assertions: await Promise.all(found) };
  });
}

// --- the rest of the module's names --------------------------------------------------------------------------------

export class TargetNotAvailableError extends Error {}
export class TargetInvocationError extends Error {}

/** There is never a model to call. */
export const createTargetClient = () => undefined;

export const defineConfig = (config) => config;
export const defineEval = (config) => config;
