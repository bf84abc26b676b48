// Starts programs of the submission as the candidate, for a grader with `isolation: apart`. Node.js and Bun.
//
//   import { run, popen } from "./gradebox_candidate.mjs";
//   const done = run(["node", "app.mjs"], { input: "2 3\n", timeout: 5 });
//   if (done.status !== 0 || done.stdout.trim() !== "5") process.exit(1);
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

// Exit status of a program whose time was over.
export const TIMED_OUT = 124;

// Looked up once, since `env` of a call may have a PATH that the submission has made.
const places = (process.env.PATH ?? "").split(":").map((place) => `${place}/candidate`);
const installed = places.find((place) => existsSync(place)) ?? "candidate";

// The command that runs another one as the candidate; `memory` in bytes. `timeout` is in seconds of processor time; twice
// as much wall time stops what waits.
/** @param {Object<string, any>} more */
export function argv(command, more = {}) {
  const { timeout, memory } = more;
  const limits = [...(timeout ? ["--timeout", `${timeout}`] : []), ...(memory ? ["--memory", `${memory}`] : [])];
  return [installed, ...limits, "--", ...command];
}

// Run a program to its end: { status, stdout, stderr }. All of its processes are dead then.
/** @param {Object<string, any>} options */
export function run(command, options = {}) {
  const { input = "", timeout, memory, ...more } = options;
  const [program, ...words] = argv(command, { timeout, memory });
  return spawnSync(program, words, { encoding: "utf8", maxBuffer: 64 << 20, input, ...more });
}

// Give files and directories of this process to the candidate, and take them back: then no name in them leads elsewhere.
export const lend = (...paths) => void execFileSync(installed, ["--lend", ...paths]);
export const reclaim = (...paths) => void execFileSync(installed, ["--reclaim", ...paths]);

// Start a program to talk to: a ChildProcess with pipes. When it has ended, all of the program's processes are dead, also
// after `kill`: nobody can pass SIGKILL on, so `candidate` takes SIGPWR for it.
/** @param {Object<string, any>} options */
export function popen(command, options = {}) {
  const { timeout, memory, ...more } = options;
  const [program, ...words] = argv(command, { timeout, memory });
  const child = spawn(program, words, more);
  const kill = child.kill.bind(child);
  child.kill = (signal) => kill(signal === "SIGKILL" || signal === 9 ? "SIGPWR" : signal);
  return child;
}
