// Joins the files of an item runner as gradebox does (graders/languages/bundle.py), so that `start-bun` recognises the
// program by its hash: `node join.mjs NAME...` prints it. With `boundary` as the first name, boundary.json comes first.
import fs from "node:fs";

const PYTHON = "about python julia fields notes operator await turn result cancel closed mock".split(" ");
const PATTERN = /\/(?![ /*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//.source;
const TEXT = `(?:"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|${PATTERN})`;
const PLAIN = `(?:[^\`/"'\\n]|${TEXT}| / )*`;
const TEMPLATE = /`(?:[^`$\\\n]|\\.|\$(?!\{)|\$\{[^`{}\n]*\})*`/.source;
const PLAIN_LINE = new RegExp(`^${PLAIN}(?:${TEMPLATE}${PLAIN})*$`, "gm");
const WORD = /\b(const|undefined|true|false)\b|(?<![\w$])\((\w+)\)(?= =>)/.source;
const BETWEEN = /=>|[=!]==|[-<>+]=|&&|\|\||[\][(){}<>=*,;?:]|(?<= )[-+](?= [^-+])/.source;
const SPACE = new RegExp(`(${TEXT}|${TEMPLATE})|${WORD}| ?(${BETWEEN}) ?`, "g");
const SHORTER = { const: "let", undefined: "void 0", true: "!0", false: "!1" };

function compact(name) {
  const file = fs.existsSync(`${name}.js`) ? `${name}.js` : `${name}.ts`;
  const shorter = file.endsWith(".ts") ? { const: "let" } : SHORTER;
  return fs
    .readFileSync(file, "utf8")
    .replace(/\/\*\* @[^*]*\*\/ ?/g, "")
    .replace(/^ *(?:\/\/(?: [^@\n].*)?$)?/gm, "")
    .replace(PLAIN_LINE, (line) =>
      line.replace(SPACE, (_, kept, word, one, between) => kept || (word && (shorter[word] ?? word)) || one || between),
    );
}

const names = process.argv.slice(2);
let front = "";
if (names[0] === "boundary") {
  names.shift();
  const said = JSON.parse(fs.readFileSync("boundary.json", "utf8"), (name, value) =>
    PYTHON.includes(name) ? undefined : value,
  );
  front = `const BOUNDARY = \`${JSON.stringify(said)}\`;\n`;
}
const text = names.map(compact).join("\n").replace(/^\n+/gm, "");
process.stdout.write(front + text.replace(/[;,]?\n(?=[)}\]])|\n(?=[.?:&|])|(?<=[;{},([=>:?&|])\n/g, ""));
