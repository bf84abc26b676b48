// What `bun test` loads first where the submission runs in another process: it tells bun_test_adapter.ts that the last
// hook was reached.

const { afterAll, afterEach, beforeEach } = await import("bun:test");
let ran = 0;
let tell = () => {};
beforeEach(() => {
  ran += 1;
});
afterAll(() => tell());
await begin(
  readLine(REPORT),
  () => {},
  (say, grader) => {
    compareEach(grader.answers, { beforeEach, afterEach }, () => path.relative(WORKSPACE, Bun.main));
    tell = () => {
      grader.end();
      say(grader.isLost || grader.answers.hasRefused ? "refused" : `end ${ran}`);
    };
  },
);
