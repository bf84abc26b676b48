// Reads the token for whatever reports tests of JavaScript. It stands before each of them, which brings `readSync`.

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
