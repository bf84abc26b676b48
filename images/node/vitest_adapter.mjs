// A reporter of `vitest run` that tells when the run is over: `--reporter FILE`, FILE being this one. The protocol is described
// in graders/checks/adapters.py. Vitest 1 and newer.
//
// Vitest runs tests, and what they test, in workers; this is its main process, which runs none of that code. What a worker
// says of its tests is taken as it is.

import { readSync, writeSync } from "node:fs";

const REPORT = 3;

function readLine(descriptor) {
  const byte = Buffer.alloc(1);
  let line = "";
  for (;;) {
    try {
      if (readSync(descriptor, byte, 0, 1, null) === 0 || byte[0] === 10) return line;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      continue;
    }
    line += String.fromCharCode(byte[0]);
  }
}

const token = readLine(0);
let told = false;

function tell(ran, failed) {
  if (!told) writeSync(REPORT, `${token} done ${ran} ${failed}\n`);
  told = true;
}

// The tests of a file or of a suite, as Vitest 1 and 2 have them.
function tests(tasks) {
  return tasks.flatMap((task) => (task.tasks ? tests(task.tasks) : [task]));
}

export default class Report {
  onInit() {}

  // Vitest 3 and newer.
  onTestRunEnd(modules, _errors, reason) {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const failed = states.filter((state) => state === "failed").length;
    if (reason !== "interrupted") tell(failed + states.filter((state) => state === "passed").length, failed);
  }

  onFinished(files = []) {
    const states = tests(files).map((test) => test.result?.state);
    const failed = states.filter((state) => state === "fail").length;
    tell(failed + states.filter((state) => state === "pass").length, failed);
  }
}
