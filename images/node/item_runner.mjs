// Runs one item, or many that share a process:
// `node --no-warnings --experimental-vm-modules --input-type=module -e SOURCE`. The protocol is described in
// graders/checks/item_protocol.py. Node.js 18 and newer.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace. The variables of this module
// are out of the candidate's reach; the functions it uses are taken before any of the candidate's code is loaded.
// In a shared process every item is a module of its own, and what one leaves for the next is in globalThis or in the
// modules that both import.

import fs from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const { SourceTextModule, SyntheticModule } = vm;
const { readFileSync, writeSync } = fs;
const exit = process.reallyExit.bind(process);
const keys = Object.keys;
const base = pathToFileURL(`${process.cwd()}/`);
const IDENTIFIER = /[^A-Za-z0-9_$]/g;
const MISSING = ["ERR_MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE", "MODULE_NOT_FOUND"];

function readParts() {
  const input = readFileSync(0);
  const parts = [];
  for (let position = 0; position < input.length; ) {
    const lineEnd = input.indexOf(10, position);
    const [name, length] = input.toString("utf8", position, lineEnd).split(" ");
    position = lineEnd + 1 + Number(length);
    parts.push({ name, source: input.toString("utf8", lineEnd + 1, position) });
    position += 1;
  }
  return parts;
}

function writeAll(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
