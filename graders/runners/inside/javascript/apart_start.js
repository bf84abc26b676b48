// Comes before a file of tests: what that imports of the submission runs in another process. Nothing in the process of
// the tests wants to forge what it says, on descriptor 3 and with a word that is read from there.

const { readSync } = fs;

// A file whose candidate's process was lost has failed, whatever its tests expected.
async function begin(word, ended, started = (_say, _grader) => {}) {
  const say = (line) => writeAll(3, Buffer.from(`${word} ${line}\n`));
  const grader = new Grader(fs.readFileSync(fileURLToPath(import.meta.url), "utf8"), say);
  let isOver = false;
  const end = (status) => {
    if (!isOver) grader.end(status);
    // A test that may fail could have been refused.
    const found = status || Number(grader.isLost || grader.answers.hasRefused);
    if (!isOver) ended(say, found);
    isOver = true;
    return found;
  };
  // The file itself may ask more, or set another status, when it ends.
  const { emit, reallyExit } = /** @type {any} */ (process);
  Object.assign(process, {
    emit(name, status) {
      const found = Reflect.apply(emit, this, arguments);
      if (name === "exit") process.exitCode = end(Number(process.exitCode ?? status));
      return found;
    },
    reallyExit: (status) => Reflect.apply(reallyExit, process, [end(status)]),
  });
  started(say, grader);
  const loader = new Loader(grader);
  loader.tested = (runner) => {
    loader.tested = undefined;
    guardSnapshots(loader, runner.snapshot);
    compareEach(grader.answers, runner, (test) => test.name);
  };
  await loader.hook();
}

// Node.js runs a file of snapshots as a program, and a submission can make one where the case has none.
function guardSnapshots({ finder, grader }, snapshot) {
  const set = snapshot?.setResolveSnapshotPath;
  if (!set) return;
  const guarded = (resolve) =>
    set((file) => {
      const found = resolve(file);
      if (finder.isListed(path.resolve(found))) return found;
      throw grader.spoil(grader.limit(`${found} is not the case's: add what the tests expect to the case`));
    });
  Object.defineProperty(snapshot, "setResolveSnapshotPath", { value: guarded });
  guarded((file) => `${file}.snapshot`);
}

// Have each test compare the submission's answers at its end. Those of tests beside each other cannot be told apart: in
// Node.js, a test that contains another one ends after it. Hooks of Bun have no parameters.
function compareEach(answers, { beforeEach, afterEach }, nameOf) {
  const open = [];
  const areBeside = () => open.forEach((each) => (each.isBeside = true));
  beforeEach((...[test]) => {
    // What a file loads, and what hooks do, counts for all tests that follow.
    if (!open.length) answers.end("");
    open.push({ test, isBeside: false });
    if (IS_BUN && open.length > 1) areBeside();
  });
  afterEach((...[test]) => {
    const at = open.findLastIndex((each) => each.test === test);
    if (at < open.length - 1) areBeside();
    const [{ isBeside }] = open.splice(at, 1);
    answers.isVague ||= isBeside;
    answers.isBeside = isBeside;
    const why = answers.end(nameOf(test));
    const fail = () => {
      throw new Error(why);
    };
    // In Node.js, an exception would leave out the file's own hooks.
    if (why && test?.after) test.after(fail);
    else if (why) fail();
  });
}
