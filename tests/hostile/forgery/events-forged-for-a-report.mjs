import { writeSync } from "node:fs";
import { DefaultSerializer } from "node:v8";

// What the test file tells the runner is swallowed. It is told that both passed, and of another test that did not.
process.stdout.write = () => true;
const tell = (type, name, testNumber, error) => {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  const details = { duration_ms: 1, type: "test", error };
  serializer.writeValue({ type, data: { name, nesting: 0, testNumber, file: process.argv[1], line: 1, column: 1, details } });
  const value = serializer.releaseBuffer();
  const head = Buffer.from([value[0], value[1], 0, 0, 0, 0]);
  head.writeUInt32BE(value.length, 2);
  writeSync(1, Buffer.concat([head, value]));
};
tell("test:pass", "words are joined", 1);
tell("test:pass", "several at once", 2);
tell("test:fail", "another", 3, Object.assign(new Error("no"), { code: "ERR_TEST_FAILURE", failureType: "testCodeFailure" }));

export function slugify(text) {
  return text;
}
