// What `bun test` loads first where the submission runs in another process: it tells bun_test_adapter.ts that the last
// hook was reached.

const { afterAll, afterEach, beforeEach } = await import("bun:test");
let ran = 0;
let tell = () => {};
// The files of tests that Bun came to, and those that were loaded: a test of theirs began, or they are in the cache.
const entered = new Set();
const begun = new Set();
// What kept a file from being loaded, if the loader of the submission knows: Bun itself only prints it.
const errors = new Map();
Bun.plugin({
  name: "entered",
  setup: (build) =>
    void build.onResolve({ filter: /.*/ }, ({ path, importer }) => {
      if (!importer && path === Bun.main) entered.add(path);
      return undefined;
    }),
});
beforeEach(() => {
  ran += 1;
  begun.add(Bun.main);
});
afterAll(() => tell());
await begin(
  readLine(REPORT),
  () => {},
  (say, grader) => {
    grader.noting = (does) => (asked) => {
      try {
        return does(asked);
      } catch (error) {
        if (!errors.has(Bun.main)) errors.set(Bun.main, `: ${error}`.slice(0, 300));
        throw error;
      }
    };
    compareEach(grader.answers, { beforeEach, afterEach }, () => path.relative(WORKSPACE, Bun.main));
    tell = () => {
      const { cache } = import.meta.require;
      for (const file of entered) {
        const why = (errors.get(file) ?? "").replace(/\s+/g, " ");
        if (!begun.has(file) && !(file in cache)) say(`unloaded ${file}${why}`);
      }
      grader.end();
      say(grader.isLost || grader.answers.hasRefused ? "refused" : `end ${ran}`);
    };
  },
);
