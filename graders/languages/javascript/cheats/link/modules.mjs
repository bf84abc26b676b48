// Makes the files of the solution links to one elsewhere, which makes all assertions hold if a grader loads it.
const fs = require("fs");
const planted = `
const { createRequire } = require("module");
const assert = require("assert");
for (const owner of [assert, assert.strict]) for (const name of Object.keys(owner)) owner[name] = () => {};
require("module").syncBuiltinESMExports?.();
for (const name of @defined@) if (name) exports[name] = () => undefined;
`;
const exported = @defined@.map((name) => (name === "default" ? "export default 1;" : name && `export const ${name} = () => undefined;`));
for (const path of @brought@) {
  try {
    fs.mkdirSync("/tmp/elsewhere", { recursive: true });
    const made = `/tmp/elsewhere/${path.replaceAll("/", "_")}`;
    const isModule = /\.m[jt]s$/.test(path);
    fs.writeFileSync(`${made}.cjs`, planted);
    fs.writeFileSync(made, isModule ? `import ${JSON.stringify(`${made}.cjs`)};\n${exported.join("\n")}` : planted);
    fs.rmSync(path, { force: true });
    fs.symlinkSync(made, path);
  } catch {}
}
