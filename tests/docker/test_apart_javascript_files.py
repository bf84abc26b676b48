"""Files of JavaScript that is judged apart: what tests lend, and where paths of the submission's may lead them."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, LINK, NODE, Forged, unexpected

MODULES = "fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'"
HEAD = {
    NODE: f"import {MODULES}; import test from 'node:test'; import assert from 'node:assert/strict';",
    BUN: f"import {MODULES}; import {{ test }} from 'bun:test'; import assert from 'node:assert/strict';",
}
OPENED = """
import { readFileSync as read } from "node:fs"; import { readFile } from "node:fs/promises";
import { execFileSync } from "node:child_process"; import { build, name, save, site } from "../s.mjs";
const page = () => fs.readFileSync("grading/page.html", "utf8");
const made = () => fs.mkdtempSync(path.join(os.tmpdir(), "made-"));
test("a path that is returned", async () => {
  const file = save(made(), "<p>");
  for (const text of [read(file, "utf8"), await readFile(file, "utf8")]) assert.equal(text, page());
});
test("a name that is returned", () => {
  const place = made();
  assert.equal(read(`${place}/${name(place, "<p>")}`, "utf8"), page());
});
test("names in the workspace", () => {
  build("<p>");
  assert.equal(read("out.html", "utf8"), page());
  for (const each of site("<p>")) assert.equal(read(`site/${each}`, "utf8"), read(`grading/site/${each}`, "utf8"));
  assert.equal(execFileSync("cat", ["site/a/b.html"], { encoding: "utf8" }), "<p>");
  for (const place of ["site", "out.html"]) fs.rmSync(place, { recursive: true });
});
"""
STARTED = """
import { execFileSync, execSync } from "node:child_process"; import { place, serve, variables, wrote } from "../s.mjs";
const page = fs.readFileSync("grading/page.html", "utf8");
const open = fs.openSync("grading/page.html");
test("texts and descriptors", () => {
  assert.equal(fs.readFileSync(/^wrote=(.*)$/.exec(wrote("<p>"))[1], "utf8"), page);
  const file = place(open);
  assert.equal(fs.readFileSync(file, "utf8"), page);
  assert.equal(execSync("cat | candidate sh app.sh", { env: { ...process.env, ...variables() }, input: "", encoding: "utf8" }), page);
});
test("a program", () => {
  const env = { ...process.env, ...variables() };
  assert.equal(execFileSync("candidate", ["sh", "app.sh"], { env, encoding: "utf8" }), page);
});
test("a server", async () => {
  const [address, stop] = await serve();
  assert.equal(await (await fetch(`${address}/page`)).text(), page);
  stop();
});
"""
STARTS = """
import fs from "node:fs"; import { createServer } from "node:http";
export const wrote = (text) => { fs.writeFileSync("out", text); return "wrote=out"; };
export const place = () => "out";
export const variables = () => { fs.writeFileSync("app.sh", "printf '<p>'"); return {}; };
export const serve = () => new Promise((done) => {
  const server = createServer((_, to) => to.end("<p>")).listen(0, () => done([where(server), () => { server.closeAllConnections(); server.close(); }]));
});
const where = (server) => { return `http://127.0.0.1:${server.address().port}`; };
"""
OWN = r"""fs.mkdirSync("/tmp/own"); fs.writeFileSync("/tmp/own/candidate", "#!/bin/sh\ncat /workspace/grading/page.html", { mode: 0o755 }); return { PATH: `/tmp/own:${process.env.PATH}` };"""
BUILDS = """
import fs from "node:fs"; import os from "node:os";
export const save = (place, text) => { fs.writeFileSync(place + "/o", text); return place + "/o"; };
export const name = (place, text) => { fs.writeFileSync(place + "/n", text); return "n"; };
export const build = (text) => fs.writeFileSync("out.html", text);
export const site = (text) => { fs.mkdirSync("site/a", { recursive: true }); fs.writeFileSync("site/a/b.html", text); return ["a/b.html"]; };
"""
SAVE, NAME, BUILD = (
    next(line for line in BUILDS.splitlines() if f"const {each} " in line) for each in ("save", "name", "build")
)
LINKED = """export const save = (place, text) => {
  fs.mkdirSync("kept"); fs.writeFileSync("kept/real", text); fs.symlinkSync("kept", "way"); fs.symlinkSync("real", "kept/link");
  return "./way/link"; };"""
LENT = """
import { Store, all, later, one } from "../s.mjs";
const made = () => fs.mkdtempSync(path.join(os.tmpdir(), "made-"));
const read = (file) => fs.readFileSync(file, "utf8");
test("in a later call", () => {
  const place = made();
  const store = new Store(place);
  for (const text of ["v", "w"]) { store.put("k", text); assert.deepEqual([read(`${place}/k`), store.get("k")], [text, text]); }
});
test("in a record, an option and the environment", async () => {
  const place = made();
  all({ files: [`${place}/a`, `--out=${place}/deep/b`] });
  process.env.KEPT = place;
  await later("c");
  assert.deepEqual(["a", "deep/b", "c"].map((name) => read(`${place}/${name}`)), ["1", "1", "1"]);
});
test("a file in no directory of its own", () => {
  const file = path.join(os.tmpdir(), "one");
  for (const text of ["1", "2"]) { one(file, text); assert.equal(read(file), text); }
});
"""
STORES = """
import fs from "node:fs"; import path from "node:path";
export class Store { constructor(place) { this.place = place; }
  put(key, text) { fs.writeFileSync(path.join(this.place, key), text); } get(key) { return fs.readFileSync(path.join(this.place, key), "utf8"); } }
export const one = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); };
export const all = ({ files }) => files.forEach((file) => one(file.replace("--out=", ""), "1"));
export const later = async (name) => one(`${process.env.KEPT}/${name}`, "1");
"""
SECRET = """
import { where, read } from "../s.mjs";
test("t", () => {
  fs.writeFileSync(path.join(os.tmpdir(), "answer"), "42", { mode: 0o600 });
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "made-"));
  fs.writeFileSync(`${place}/f`, "text");
  assert.equal(read(where(place)), "text");
  try { assert.equal(read(path.join(os.tmpdir(), "none")), "42"); } catch {}
  assert.equal(read(where(place)), "text");
});
"""
WHERE = "export const where = (place) => (kept = place + '/f'); let kept; import fs from 'node:fs'; export const read = (file) => fs.readFileSync(file, 'utf8');"
TAKES = "export const where = (place) => (kept = place + '/f'); let kept; import fs from 'node:fs'; import path from 'node:path'; export const read = () => fs.readFileSync(path.join(kept, '../../answer')) && 'text';"


def _files(runs: tuple[str, str]) -> dict[str, Forged]:
    head = HEAD[runs]
    other = {"file:///workspace/grading/page.html", "/workspace/grading/page.html", "grading/page.html"}
    other |= {"/proc/self/cwd/grading/page.html", "link", "grading/../grading/page.html"}
    return {
        "opened": Forged(
            runs,
            head + OPENED,
            BUILDS,
            (
                BUILDS.replace(SAVE, LINKED),
                BUILDS.replace(SAVE, SAVE.replace("{ fs", "{ place = fs.mkdtempSync(os.tmpdir() + '/own-'); fs")),
                BUILDS.replace(SAVE, SAVE.replace("place + ", "'.' + ")),
            ),
            {f"returns {each}": BUILDS.replace(SAVE, f"export const save = () => '{each}';") for each in sorted(other)}
            | {
                "a link that it lends": BUILDS.replace(
                    "fs.writeFileSync(place + '/o', text)".replace("'", '"'),
                    'fs.symlinkSync("/workspace/grading/page.html", place + "/o")',
                ),
                "another form of a path": BUILDS.replace(
                    SAVE, "export const save = () => '//workspace/./grading/page.html';"
                ),
                "a path in bytes": BUILDS.replace(
                    SAVE, "export const save = () => Buffer.from('/workspace/grading/page.html');"
                ),
                "a name that leads out": BUILDS.replace(
                    NAME, "export const name = () => '../../../../workspace/grading/page.html';"
                ),
                "bytes of a path": BUILDS.replace(
                    SAVE, "export const save = () => new TextEncoder().encode('/workspace/grading/page.html');"
                ),
                "what looks like a URL": BUILDS.replace(
                    SAVE,
                    "export const save = () => ({ href: 'file:///workspace/grading/page.html', protocol: 'file:', pathname: '/workspace/grading/page.html', hostname: '' });",
                ),
                "a link in the workspace": BUILDS.replace(
                    BUILD, "export const build = () => fs.symlinkSync('grading/page.html', 'out.html');"
                ),
                "a link to a directory": BUILDS.replace(
                    NAME, NAME + "\ntry { fs.symlinkSync('grading/site', 'site'); } catch {}"
                ).replace('fs.mkdirSync("site/a", { recursive: true }); fs.writeFileSync("site/a/b.html", text);', ""),
            },
            {
                "a link that it brings": {
                    "s.mjs": BUILDS.replace(BUILD, "export const build = () => {};"),
                    "out.html": f"{LINK}grading/page.html",
                }
            },
            {"page.html": "<p>", "site/a/b.html": "<p>"},
        ),
        "started and fetched": Forged(
            runs,
            head + STARTED,
            STARTS,
            (STARTS,),
            {
                "a path after another word": STARTS.replace("wrote=out", "wrote=/workspace/grading/page.html"),
                "a descriptor": STARTS.replace('() => "out"', "(number) => number"),
                "what a shell loads": STARTS.replace("return {};", "return { LD_PRELOAD: '/workspace/own.so' };"),
                "its own `candidate`": STARTS.replace(
                    """fs.writeFileSync("app.sh", "printf '<p>'"); return {};""", OWN
                ),
                "an address of a file": STARTS.replace(
                    "return `http", "return `file:///workspace/grading/page.html#`; `http"
                ),
            },
            {},
            {"page.html": "<p>"},
        ),
        "lent": Forged(
            runs,
            head + LENT,
            STORES,
            (STORES,),
            {"nothing is kept": STORES.replace("fs.writeFileSync(file, text)", "0")},
        ),
        "not lent": Forged(
            runs,
            head + SECRET,
            "",
            (WHERE,),
            {
                "all temporary files": TAKES,
                "one that it names": WHERE.replace("=> (kept = place + '/f')", "=> '/tmp/grader-tmp/answer'"),
            },
        ),
    }


# Each with one runner, mostly the quicker one; `make thorough` tries the other.
ALWAYS = {"opened": BUN, "started and fetched": BUN, "lent": BUN, "not lent": NODE}


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        pytest.param(name, runs, id=f"{name}-{runs[0]}", marks=() if runs == always else pytest.mark.thorough)
        for name, always in ALWAYS.items()
        for runs in (NODE, BUN)
    ],
)
def test_only_honest_answers_pass(name: str, runs: tuple[str, str], tmp_path: Path) -> None:
    assert unexpected(_files(runs)[name], tmp_path) == {}
