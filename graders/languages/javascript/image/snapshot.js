// What the snapshot holds from which items start (see start-node): Node.js as it is after its own start, with the modules
// of its own that item runners load. Nothing of gradebox's is in it, and nothing of an item's.
"use strict";

for (const name of ["assert", "assert/strict", "fs/promises", "module", "path", "url", "util", "vm"]) require(name);

// Node.js 18 takes away what it does not know of the inspector's console before it writes a snapshot, and its own
// `Console` is among that.
const { Console } = console;
require("v8").startupSnapshot.addSerializeCallback(() => {
  Object.assign(console, { Console });
});
