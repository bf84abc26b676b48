// Comes before a file of tests: what that imports of the submission runs in another process. Nothing in the process of
// the tests wants to forge what it says, on descriptor 3 and with a word that is read from there.

const { readSync } = fs;

// A file whose candidate's process was lost has failed, whatever its tests expected.
async function begin(word, ended, started = (_say, _grader) => {}) {
  const say = (line) => writeAll(3, Buffer.from(`${word} ${line}\n`));
  const grader = new Grader(fs.readFileSync(fileURLToPath(import.meta.url), "utf8"), say);
  process.on("exit", (status) => {
    grader.end();
    if (grader.isLost && status === 0) process.exitCode = 1;
    else ended(say, status);
  });
  started(say, grader);
  await new Loader(grader).hook();
}
