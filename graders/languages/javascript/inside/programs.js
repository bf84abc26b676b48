// Programs of items, as graders/languages/item_protocol.py describes them. It is joined in front of the item runners of
// JavaScript and TypeScript, which define `report` and `complain`.

function readParts(input) {
  const parts = [];
  for (let position = 0; position < input.length;) {
    const lineEnd = input.indexOf(10, position);
    const [name, length] = input.toString("utf8", position, lineEnd).split(" ");
    position = lineEnd + 1 + Number(length);
    parts.push({ name, source: input.toString("utf8", lineEnd + 1, position) });
    position += 1;
  }
  return parts;
}

// The token of all, those of the items, and the parts of each program. The first holds what belongs to all of them.
// `mustBeThere` throws if there is no module of a name.
function readPrograms(input, mustBeThere) {
  const parts = readParts(input);
  const token = parts.shift().source;
  const groups = [[]];
  const tokens = [];
  for (const [number, { name, source }] of parts.entries()) {
    if (name === "import") groups[0].push({ name, source: importLine(token, source, number, mustBeThere) });
    else if (name === "next" || name === "end") {
      tokens.push(source);
      groups.push([]);
    } else if (name !== "shared") {
      const which = tokens.at(-1) ? ` ${tokens.length}` : "";
      groups.at(-1).push({ name: name === "item" ? name + which : name + (which && ` of item${which}`), source });
    }
  }
  return { token, tokens, groups };
}

// An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
// Without the module nothing is run.
function importLine(token, source, number, mustBeThere) {
  const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
  if (specifier === undefined) return source;
  try {
    mustBeThere(specifier);
  } catch {
    complain(`missing import: ${specifier}`);
    report(`${token} missing ${specifier}`);
    process.reallyExit(90);
  }
  if (specifier !== source.trim()) return source;
  const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier);
  const name = root.replace(/^(\w+:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
  const all = `gradebox_import_${number}`;
  const chosen = `"default" in ${all} ? ${all}.default : ${all}`;
  return `import * as ${all} from ${JSON.stringify(specifier)}; const ${name} = ${chosen};`;
}
