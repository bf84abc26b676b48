/** What the candidate's parser makes of a query, asked of a process of its own. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface Answer {
  node?: unknown;
  error?: { name?: string; message?: string; position?: number };
}

const PROBE = join(import.meta.dir, "probe.ts");
const ANSWER_MILLISECONDS = 4000;

export function ask(query: string): Answer {
  const { status, stdout } = spawnSync(process.execPath, ["run", PROBE], {
    input: query,
    encoding: "utf8",
    maxBuffer: 1 << 20,
    timeout: ANSWER_MILLISECONDS,
    killSignal: "SIGKILL",
  });
  if (status !== 0) throw new Error(`no answer to ${JSON.stringify(query)}`);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}
