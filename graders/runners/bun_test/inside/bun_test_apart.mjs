// What `bun test` loads first where the submission runs in another process: it tells bun_test_adapter.ts that the last hook was
// reached.

const { afterAll, beforeEach } = await import("bun:test");
const word = readWord();
let ran = 0;
beforeEach(() => {
  ran += 1;
});
afterAll(() => {
  fs.writeSync(3, `${word} end ${ran}\n`);
});
await begin();
