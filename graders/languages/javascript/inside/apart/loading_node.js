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
  const told = (asked) => (asked.file || asked.name ? loader.source(asked) : { why: loader.refusal(asked) });
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
