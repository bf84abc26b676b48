// Starts Bun for an item: `start-bun -e SOURCE`. It is Bun with the item runners of TypeScript compiled into it, and with
// what the process of a submission runs apart, which saves the reading of their source. Another source is Bun's to run, and
// so is every one where a derived image has another Bun.
const source = process.argv.at(-1);
process.execPath = Bun.which("bun");
process.argv.splice(0, Infinity, process.execPath);
process.execArgv.push("-e", source);

const same = process.execPath === "/usr/local/bin/bun" && Bun.file(process.execPath).size === SIZE;
const digest = same && new Bun.CryptoHasher("sha256").update(source).digest("hex");
if (digest === TOGETHER) await import("./together.ts");
else if (digest === APART) await import("./apart.ts");
else if (digest === CANDIDATE) await import("./candidate.ts");
else {
  const { exitCode } = Bun.spawnSync(["bun", "-e", source], { stdio: ["inherit", "inherit", "inherit", 3] });
  process.reallyExit(exitCode ?? 1);
}
