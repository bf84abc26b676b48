// Judges JavaScript apart: tests in the grader's process, the submission in the candidate's. Neither trusts the other.
// These files are joined to one module; BOUNDARY is the text of boundary.json (docs/explanation/boundary.md).
//
//     both processes   prelude      what all files use; it and codec are a `call`'s, too
//                      codec        values as trees of JSON
//                      table        what boundary.json allows, and what both sides know by name
//                      peer         messages, requests, answers; which objects are whose
//                      candidate    does in the candidate's process what the grader asks; gathered: what an object has
//     grader's alone   contract     paths and what was asked there of the reference
//                      answers      compares what the submission sends with what the reference sent
//                      arrivals     what becomes of objects and containers; reads: what stays the same
//                      stand_ins    what tests see of the candidate's objects
//                      callbacks    failures of functions of the tests that the submission calls
//                      intrinsics   what is built in, and names of the library
//                      grader       starts the candidate, and does what it may ask
//                      files        what is lent to it, and where paths may lead that tests open
//                      starting     programs that tests start
//                      finder       whose a module is; loading: loads it
//                      loading_node, loading_bun: hooks for `import` and `require`, of which a program has one
//                      items        runs items; the runners' files run tests
//
// `f(x)` in a test: a trap of stand_ins, if the contract has it, calls `ask` (grader, peer), which encodes the request
// and writes it to a pipe. In the other process `receive` (peer) reads it, `parse` checks and decodes it, `perform`
// (candidate) does it, and the answer comes back in the same way.

import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import util from "node:util";
import vm from "node:vm";

const TABLE = JSON.parse(BOUNDARY);
const { message_bytes: MESSAGE_BYTES, parts: MOST_PARTS, depth: DEEPEST } = TABLE.limits;

class Malformed extends Error {}

function must(holds, what) {
  if (!holds) throw new Malformed(what);
}

function writeAll(descriptor, data) {
  for (let at = 0; at < data.length;) {
    try {
      at += fs.writeSync(descriptor, data, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
