// Comes before a file of tests: what that imports of the submission runs in another process. Nothing in the process of the
// tests wants to forge what it says, on descriptor 3 and with a word that is read from there.

function readWord() {
  const byte = Buffer.alloc(1);
  let word = "";
  for (;;) {
    try {
      if (fs.readSync(3, byte, 0, 1, null) === 0 || byte[0] === 10) return word;
      word += String.fromCharCode(byte[0]);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

async function begin() {
  const grader = new Grader(fs.readFileSync(fileURLToPath(import.meta.url), "utf8"));
  if (process.argv[1]?.startsWith("/") && isCaseFile(process.argv[1])) grader.said = fs.readFileSync(process.argv[1], "utf8");
  await hook(grader);
}
