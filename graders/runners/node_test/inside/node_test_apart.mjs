// Is loaded before a test file by `node --test` where the submission runs in another process: it tells
// node_test_adapter.mjs that the file came to its end. node_test_preload.cjs, which does that otherwise, is not loaded
// then.

const { isMainThread } = await import("node:worker_threads");
// Not for programs that the tests start.
const at = process.execArgv.indexOf("--import");
if (at >= 0) process.execArgv.splice(at, 2);
if (isMainThread && process.env.NODE_TEST_CONTEXT) {
  await begin(readLine(REPORT), (say, status) => status === 0 && say("end"));
}
