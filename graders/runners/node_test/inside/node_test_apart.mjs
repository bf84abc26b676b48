// Is loaded before a test file by `node --test` where the submission runs in another process: it tells
// node_test_adapter.mjs that the file came to its end. node_test_preload.cjs, which does that otherwise, is not loaded
// then.

const { isMainThread } = await import("node:worker_threads");
// Not for programs that the tests start.
const at = process.execArgv.indexOf("--import");
if (at >= 0) process.execArgv.splice(at, 2);
if (isMainThread && process.env.NODE_TEST_CONTEXT) {
  // Node.js says before the end that nothing is left to do. What ends the process otherwise may have ended a test.
  let isDone = false;
  const { exit } = process;
  process.on("beforeExit", () => {
    isDone = true;
  });
  process.exit = (status) => {
    isDone = false;
    return /** @type {never} */ (exit.call(process, status));
  };
  const ended = (say, status) => status === 0 && say(isDone ? "end" : "exited");
  await begin(readLine(REPORT), ended, (say) => {
    process.on("uncaughtExceptionMonitor", (error) => {
      const what = process.listenerCount("uncaughtException") ? "thrown" : "error";
      say(`${what} ${JSON.stringify(`${error}`.slice(0, 300))}`);
    });
  });
}
