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
  const { MessageChannel } = await import("node:worker_threads");
  const { port1, port2 } = new MessageChannel();
  port1.on("message", ({ answer, ...asked }) =>
    answer.postMessage(asked.file || asked.name ? loader.source(asked) : { why: loader.refusal(asked) }),
  );
  port1.unref();
  const text = `import fs from "node:fs"; import path from "node:path";
    import Module, { createRequire } from "node:module";
    import { fileURLToPath, pathToFileURL } from "node:url"; import { MessageChannel } from "node:worker_threads";
    const SUFFIXES = ${JSON.stringify(SUFFIXES)}; ${Finder}
    const finder = new Finder(${JSON.stringify(WORKSPACE)}, ${JSON.stringify(TOLD.files)});
    export const { initialize, resolve, load } = (${inThread})(finder);`;
  Module.register(`data:text/javascript,${encodeURIComponent(text)}`, { data: port2, transferList: [port2] });
}

// Runs in a thread of Node's that resolves and loads modules, and asks this one for their texts.
function inThread(finder) {
  let main;
  const ask = (asked) =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      /** @type {any} */ (port1).once("message", resolve);
      main.postMessage({ ...asked, answer: port2 }, [port2]);
    });
  const must = async (asked) => {
    const { why } = await ask(asked);
    if (why) throw new Error(why);
  };
  return {
    initialize(port) {
      main = port;
    },
    async resolve(name, context, next) {
      const { parentURL } = context;
      const parent = parentURL?.startsWith("file:") ? fileURLToPath(parentURL) : `${finder.workspace}/gradebox.js`;
      // Packages of the image find theirs as always.
      const isOfCase = parentURL === undefined || parent.startsWith(`${finder.workspace}/`);
      const isAddress = /^\w+:/.test(name) && !name.startsWith("file:");
      if (isAddress && isOfCase && !name.startsWith("node:")) await must({ address: name });
      if (/^node:(test|sqlite)$/.test(name) && isOfCase) await must({ builtin: name });
      if (isAddress || (!isOfCase && finder.isOfImage(parent))) return next(name, context);
      const { builtin, file, image, submitted } = finder.find(name, parent);
      if (builtin) return next(name, context);
      if (file && parentURL !== undefined) await must({ used: file, as: name });
      if (file) return { url: pathToFileURL(file).href + (/[?#].*/.exec(name) ?? ""), shortCircuit: true };
      if (submitted && parentURL === undefined) return { url: "gradebox:", shortCircuit: true };
      if (submitted)
        return { url: `gradebox:${encodeURIComponent(JSON.stringify([name, parent]))}`, shortCircuit: true };
      const found = path.isAbsolute(image)
        ? await next(pathToFileURL(image).href, context)
        : await next(image, { ...context, parentURL: "file:///gradebox.mjs" });
      if (found.url.startsWith("file:") && !finder.isOfImage(fileURLToPath(found.url)))
        throw new Error(`Cannot find package '${name}': the image does not have it`);
      return found;
    },
    async load(url, context, next) {
      // Tests of the submission's own are not run.
      if (url === "gradebox:") return { format: "module", source: "", shortCircuit: true };
      const { protocol, pathname } = new URL(url);
      const file = protocol === "file:" ? fileURLToPath(url.replace(/[?#].*/, "")) : undefined;
      if (protocol !== "gradebox:" && (!file || finder.isOfImage(file))) return next(url, context);
      if (file && !finder.isListed(file)) throw new Error(`Cannot find module '${file}': it is not the case's`);
      const [name, parent] = file ? [] : JSON.parse(decodeURIComponent(pathname));
      return { ...(await ask({ file, name, parent })), shortCircuit: true };
    },
  };
}
