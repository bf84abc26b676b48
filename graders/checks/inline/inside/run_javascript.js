// Runs JavaScript of a case's author on an answer: stdin has the grader's object, stdout gets one JSON object.
//
// `config` has the code, `transform` (code that makes another text of the answer), `vars`, and the author's own
// `config`. What the code prints goes to stderr. Status 3 and a message are for mistakes of the author's; code that
// raises on this answer fails.
const fs = require("fs");
const path = require("path");

const printed = (text) => fs.writeSync(1, text);
process.stdout.write = process.stderr.write.bind(process.stderr);
for (const name of ["log", "info", "debug", "table", "dir"]) console[name] = (...words) => console.error(...words);

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(3);
}

function body(code) {
  const text = code.trim().replace(/;+\s*$/, "");
  if (text.includes("\n") || /\breturn\b/.test(text)) return text;
  const last = text.lastIndexOf(";");
  if (/^(const|let|var)\s/.test(text) && last >= 0) return `${text.slice(0, last + 1)} return ${text.slice(last + 1)}`;
  return `return (${text}\n)`;
}

// The command's words are the files of code, in order of use.
const files = process.argv.slice(1);
/** @type {any} */ const AsyncFunction = (async () => {}).constructor;

async function load(code) {
  const text = code.trim();
  if (!text.startsWith("file://")) return new AsyncFunction("output", "context", body(text));
  const wanted = /:([A-Za-z_$][\w$]*)$/.exec(text.slice("file://".length))?.[1];
  const file = files.shift();
  const module = await import(path.resolve(file));
  const fallback = module.default;
  const found = wanted ? (module[wanted] ?? fallback?.[wanted]) : (fallback?.default ?? fallback ?? module.get_assert);
  if (typeof found !== "function") throw new Error(`${file} exports no function ${wanted ?? "by default"}`);
  return found;
}

// A name that nobody defined is the author's, unless the code runs code of the answer.
function isAuthors(error, code) {
  if (/Cannot find (module|package)/.test(String(error?.message))) return true;
  if (!(error instanceof ReferenceError) || /\beval\b|\bFunction\b/.test(code)) return false;
  const name = /Can't find variable: (\S+)|^(\S+) is not defined/.exec(error.message);
  return name === null || code.startsWith("file://") || code.includes(name[1] ?? name[2]);
}

function graded(result) {
  if (typeof result === "boolean") return { pass: result, score: result ? 1 : 0 };
  if (typeof result === "number") return { score: result };
  if (result !== null && typeof result === "object") {
    if (typeof result.score === "number") return { ...result };
    if (typeof result.pass === "boolean") return { ...result, score: result.pass ? 1 : 0 };
    refuse(`the code returned an object with neither \`pass\` nor \`score\`: ${JSON.stringify(result)}`);
  }
  refuse(`the code returned ${result}, which is neither a truth value nor a number nor an object`);
}

const camel = (key) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

function contextOf(data, config) {
  const texts = (data.input ?? []).map((message) => message.content);
  const prompt = texts.length === 1 && typeof texts[0] === "string" ? texts[0] : JSON.stringify(data.input ?? []);
  const vars = config.vars ?? {};
  const same = Object.entries(data).flatMap(([key, value]) => [
    [key, value],
    [camel(key), value],
  ]);
  return {
    ...Object.fromEntries(same),
    vars,
    config: config.config ?? {},
    prompt,
    test: { id: data.id, criteria: data.criteria, metadata: data.metadata, vars },
    providerResponse: { output: data.output, cost: data.cost_usd, metadata: {} },
  };
}

const { config, ...data } = JSON.parse(fs.readFileSync(0, "utf8"));
const context = contextOf(data, config);
const codes = [config.transform, config.code].filter(Boolean);
const functions = [];
for (const code of codes) {
  try {
    functions.push(await load(code));
  } catch (error) {
    refuse(`the code of the check cannot be loaded: ${error}`);
  }
}
let result;
let raised;
try {
  const judge = functions.pop();
  let text = data.output ?? "";
  for (const transform of functions) text = await transform(text, context);
  result = await judge(text, context);
  if (typeof result === "function") result = await result(text, context);
} catch (error) {
  if (codes.some((code) => isAuthors(error, code))) refuse(`the code of the check is wrong: ${error}`);
  raised = { score: 0, reason: `the code raised ${error}`.slice(0, 500), raised: true };
}
const found = raised ?? graded(result);
found.score = Math.min(1, Math.max(0, found.score));
printed(JSON.stringify(found));
process.exit(0);
