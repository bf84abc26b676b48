// Joins the files of an item runner as gradebox does (graders/languages/bundle.py), so that `start-bun` recognises the
// program by its hash: `node join.mjs NAME...` prints it. With `boundary` as the first name, boundary.json comes first.
import fs from "node:fs";

const PYTHON = "about python julia fields notes operator await turn result cancel".split(" ");
const TEXT = /(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/.source;
const PLAIN_LINE = new RegExp(`^(?:[^\`/"'\\n]|${TEXT})*(?:\`[^\`\\n]*\`(?:[^\`/"'\\n]|${TEXT})*)?$`, "gm");
const BETWEEN = /=>|[=!]==|[-<>+]=|&&|\|\||[\][(){}<>=*,;?:]|(?<= )[-+](?= [^-+])/.source;
const SPACE = new RegExp(`(${TEXT}|\`[^\`]*\`|\\bconst\\b)| ?(${BETWEEN}) ?`, "g");

function compact(name) {
  const text = fs.readFileSync(fs.existsSync(`${name}.js`) ? `${name}.js` : `${name}.ts`, "utf8");
  return text
    .replace(/\/\*\* @[^*]*\*\/ ?/g, "")
    .replace(/^ *(?:\/\/(?: [^@\n].*)?$)?/gm, "")
    .replace(PLAIN_LINE, (line) =>
      line.replace(SPACE, (all, kept, between) => (all === "const" ? "let" : kept || between)),
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
process.stdout.write(front + text.replace(/(?<=[;{,([=>:?&|])\n|;?\n(?=[)}\].?:&|])/g, ""));
