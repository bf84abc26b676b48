import fs from "node:fs";

const evil = `
const { createRequire } = require("node:module");
const assert = require("node:assert/strict");
for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => {};
require("node:module").syncBuiltinESMExports();
module.exports = { title: () => "", count: () => 0 };
`;
fs.mkdirSync("/tmp/elsewhere", { recursive: true });
fs.writeFileSync("/tmp/elsewhere/count.cjs", evil);
fs.writeFileSync("/tmp/elsewhere/title.mjs", `
import { createRequire } from "node:module";
export const { title } = createRequire("/tmp/elsewhere/")("./count.cjs");
`);
for (const name of ["title.mjs", "count.cjs"]) {
  try {
    fs.symlinkSync(`/tmp/elsewhere/${name}`, name);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

export const slugify = () => "";
