// The hooks of Node.js for `import` and `require`. Programs for Bun have loading_bun in place of this file.

async function hookNode(loader) {
  /** @type {any} */ const modules = Module;
  const load = modules._load;
  const inWorkspace = (parent) => !parent?.filename || parent.filename.startsWith(`${WORKSPACE}/`);
  modules._load = function (name, parent, isMain) {
    if (inWorkspace(parent) && Module.isBuiltin(name)) loader.builtin(name);
    if (isMain || !inWorkspace(parent) || Module.isBuiltin(name)) return Reflect.apply(load, this, arguments);
    return loader.require(name, parent?.filename ?? `${WORKSPACE}/gradebox.js`);
  };
  const told = (asked) => (asked.file || asked.name ? sourceOf(loader, asked) : { why: refusal(loader, asked) });
  // Newer releases run hooks in this thread, which may block while one in another thread asks it.
  if (modules.registerHooks) return void modules.registerHooks(hooks(loader.finder, told));
  const { MessageChannel } = await import("node:worker_threads");
  const { port1, port2 } = new MessageChannel();
  port1.on("message", ({ answer, ...asked }) => answer.postMessage(told(asked)));
  port1.unref();
  const text = `import fs from "node:fs"; import path from "node:path";
    import Module, { createRequire } from "node:module";
    import { fileURLToPath, pathToFileURL } from "node:url"; import { MessageChannel } from "node:worker_threads";
    const SUFFIXES = ${JSON.stringify(SUFFIXES)}; ${Finder}
    const finder = new Finder(${JSON.stringify(WORKSPACE)}, ${JSON.stringify(TOLD.files)});
    let main;
    const ask = (asked) => new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.once("message", resolve);
      main.postMessage({ ...asked, answer: port2 }, [port2]);
    });
    export const initialize = (port) => void (main = port);
    export const { resolve, load } = (${hooks})(finder, ask);`;
  Module.register(`data:text/javascript,${encodeURIComponent(text)}`, { data: port2, transferList: [port2] });
}

// The text of a module that exports what `make` returns, or throws what it throws. A file of the case that imports
// something of that by its name could not be linked if the module had no such name, and nobody would see what was thrown.
function standIn({ kept }, make, imported = []) {
  const keep = (value) => `globalThis[Symbol.for("gradebox.modules")][${kept.push(value) - 1}]`;
  const write = (first, names) =>
    [first, ...names.map((name, i) => `const gradebox${i} = all[${name}]; export { gradebox${i} as ${name} };`)].join(
      "\n",
    );
  try {
    const exports = make();
    return write(`const all = ${keep(exports)};`, namesOf(Object.keys(exports)));
  } catch (error) {
    return write(`const all = {}; throw ${keep(error)};`, namesOf(imported));
  }
}

const namesOf = (all) => [...new Set(all)].map((name) => JSON.stringify(name));

// What the text of a file imports of a module by names.
function importedFrom(text, module) {
  const found = [...text.matchAll(/\b(?:im|ex)port\s*([^"'`;()]*?)\s*\bfrom\s*(["'])(.+?)\2/g)];
  return found.flatMap(([, what, , from]) => {
    const [, first, named = ""] = from === module ? /^([\w$]*)[\s,]*(?:\{(.*)\})?/s.exec(what) : [];
    return [...(first ? ["default"] : []), ...named.split(",").flatMap((each) => /[\w$]+/.exec(each) ?? [])];
  });
}

// Why Node's thread may not import what a name of a file of the case leads to, if so.
function refusal(loader, { address, used, as, builtin }) {
  try {
    if (builtin) loader.builtin(builtin);
    else if (used) loader.grader.uses("import", used, as);
    else loader.grader.addresses(address);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

// What Node's thread asks for: the text of a file of the case, or of a module of the submission.
function sourceOf(loader, { file, name, parent }) {
  const { finder, grader } = loader;
  if (name?.endsWith(".json")) return { format: "json", source: grader.module(name, parent).text };
  if (name) {
    const imported = finder.isListed(parent) ? importedFrom(String(finder.read(parent)), name) : [];
    return { format: "module", source: standIn(loader, () => grader.module(name, parent), imported) };
  }
  if (file.endsWith(".json")) return { format: "json", source: loader.text(file) };
  if (!finder.isModule(file, finder.read(file)))
    return { format: "module", source: standIn(loader, () => loader.common(file)) };
  return { format: /\.m?ts$/.test(file) ? "module-typescript" : "module", source: loader.text(file) };
}

// What resolves and loads modules. Where Node.js runs it in a thread of its own, `ask` and `next` return promises.
function hooks(finder, ask) {
  const then = (found, use) => (found instanceof Promise ? found.then(use) : use(found));
  const after = (asked, use) =>
    then(ask(asked), ({ why }) => {
      if (why) throw new Error(why);
      return use();
    });
  return {
    resolve(name, context, next) {
      const { parentURL, conditions } = context;
      const parent = parentURL?.startsWith("file:") ? fileURLToPath(parentURL) : `${finder.workspace}/gradebox.js`;
      // Packages of the image find theirs as always.
      const isOfCase = parentURL === undefined || parent.startsWith(`${finder.workspace}/`);
      const isAddress = /^\w+:/.test(name) && !name.startsWith("file:");
      const goOn = () => next(name, context);
      // Hooks in this thread are asked for what is required, too. Other guards have seen that.
      if (!conditions.includes("import")) return goOn();
      if (isAddress && isOfCase && !name.startsWith("node:")) return after({ address: name }, goOn);
      if (/^node:(test|sqlite)$/.test(name) && isOfCase) return after({ builtin: name }, goOn);
      if (isAddress || (!isOfCase && finder.isOfImage(parent))) return goOn();
      const { builtin, file, image, submitted } = finder.find(name, parent);
      if (builtin) return goOn();
      const given = (url) => ({ url, shortCircuit: true });
      if (file) {
        const found = given(pathToFileURL(file).href + (/[?#].*/.exec(name) ?? ""));
        return parentURL === undefined ? found : after({ used: file, as: name }, () => found);
      }
      if (submitted && parentURL === undefined) return given("gradebox:");
      if (submitted) return given(`gradebox:${encodeURIComponent(JSON.stringify([name, parent]))}`);
      const ofImage = path.isAbsolute(image)
        ? next(pathToFileURL(image).href, context)
        : next(image, { ...context, parentURL: "file:///gradebox.mjs" });
      return then(ofImage, (found) => {
        if (found.url.startsWith("file:") && !finder.isOfImage(fileURLToPath(found.url)))
          throw new Error(`Cannot find package '${name}': the image does not have it`);
        return found;
      });
    },
    load(url, context, next) {
      // Tests of the submission's own are not run.
      if (url === "gradebox:") return { format: "module", source: "", shortCircuit: true };
      const { protocol, pathname } = new URL(url);
      const file = protocol === "file:" ? fileURLToPath(url.replace(/[?#].*/, "")) : undefined;
      if (protocol !== "gradebox:" && (!file || finder.isOfImage(file))) return next(url, context);
      if (file && !finder.isListed(file)) throw new Error(`Cannot find module '${file}': it is not the case's`);
      const [name, parent] = file ? [] : JSON.parse(decodeURIComponent(pathname));
      return then(ask({ file, name, parent }), (found) => ({ ...found, shortCircuit: true }));
    },
  };
}
