const { spawnSync } = require("node:child_process");

const wanted = { "Ada Lovelace": "ada-lovelace", "Route 66": "route-66" };
const found = {};
for (const text of Object.keys(wanted)) {
  const done = spawnSync("node", ["slug.js", text]);
  found[text] = done.stdout.toString().trim();
  process.stderr.write(done.stderr);
}
const compared = spawnSync("node", ["tests/compare.js", JSON.stringify([wanted, found])], { stdio: "inherit" });
process.exit(compared.status ?? 1);
