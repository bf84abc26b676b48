const wanted: Record<string, string> = { "Ada Lovelace": "ada-lovelace", "Route 66": "route-66" };
const found: Record<string, string> = {};
for (const text of Object.keys(wanted)) {
  const done = Bun.spawnSync(["bun", "slug.ts", text]);
  found[text] = done.stdout.toString().trim();
  process.stderr.write(done.stderr);
}
const done = Bun.spawnSync(["bun", "tests/compare.ts", JSON.stringify([wanted, found])], { stdout: "inherit" });
process.exit(done.exitCode ?? 1);
