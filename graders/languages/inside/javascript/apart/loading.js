// Modules of the submission, as the grader's process imports them: each is loaded by the candidate's process, and a module
// of stand-ins takes its place. Files of the case are loaded here. A package of the submission's stands in for none that
// tests name.

const MODULES = Symbol.for("gradebox.modules");
const isLocal = (name) => /^(\.\.?(\/|$)|\/|file:|#|@\/|~\/)/.test(name);
const isData = (file) => /\.(json|txt)$/.test(file);

function refuse(specifier, file) {
  if (isLocal(specifier) && !file.includes("/node_modules/")) return;
  throw Object.assign(new Error(`Cannot find package '${specifier}': it is the submission's`), { code: "ERR_MODULE_NOT_FOUND" });
}

// The text of a module with the exports of a module of the submission.
function standInText(grader, file) {
  const names = grader.module(file).map(([name]) => name);
  const lines = [`const all = globalThis[Symbol.for("gradebox.modules")](${JSON.stringify(file)});`];
  for (const [i, name] of names.entries()) {
    const shown = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    lines.push(`const gradebox${i} = all[${i}][1]; export { gradebox${i} as ${shown} };`);
  }
  return lines.join("\n");
}

// What is said of a file that is loaded: its text in place of its own, undefined if it is the case's.
function textFor(grader, file) {
  if (isSubmitted(file) && !isData(file)) return standInText(grader, file);
  if (isInside(file)) grader.said += fs.readFileSync(file, "utf8");
  return undefined;
}

// Runs in a thread of Node's that resolves and loads modules, and asks this one for what is the submission's.
function inThread(isSubmitted, refuse, fileURLToPath) {
  let port;
  let main;
  let last = 0;
  const waiting = new Map();
  return {
    initialize(data) {
      port = data.port;
      port.on("message", ({ number, text, error }) => {
        const { resolve, reject } = waiting.get(number);
        waiting.delete(number);
        if (error === undefined) resolve(text);
        else reject(new Error(error));
      });
    },
    async resolve(specifier, context, next) {
      const found = await next(specifier, context);
      if (context.parentURL === undefined) main ??= found.url;
      else if (found.url.startsWith("file:") && isSubmitted(fileURLToPath(found.url))) refuse(specifier, fileURLToPath(found.url));
      return found;
    },
    async load(url, context, next) {
      if (!url.startsWith("file:")) return next(url, context);
      const file = fileURLToPath(url.replace(/[?#].*/, ""));
      // Tests of the submission's own are not run.
      if (url === main && isSubmitted(file)) return { format: "module", source: "", shortCircuit: true };
      const number = (last += 1);
      const text = await new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        port.postMessage({ number, file });
      });
      return text === undefined ? next(url, context) : { format: "module", source: text, shortCircuit: true };
    },
  };
}

// Have modules of the submission loaded so from now on.
async function hook(grader) {
  Object.defineProperty(globalThis, MODULES, { value: (file, isRequired) => grader.module(file, isRequired) });
  if (process.versions.bun) return hookBun(grader);
  const load = Module._load;
  Module._load = function (request, parent, isMain) {
    if (Module.isBuiltin(request)) return Reflect.apply(load, this, arguments);
    const file = Module._resolveFilename(request, parent, isMain);
    if (!isSubmitted(file) || isData(file)) {
      if (path.isAbsolute(file) && isInside(file) && !isData(file)) grader.said += fs.readFileSync(file, "utf8");
      return Reflect.apply(load, this, arguments);
    }
    if (isMain) return {};
    refuse(request, file);
    return grader.module(file, true);
  };
  const { MessageChannel } = await import("node:worker_threads");
  const { port1, port2 } = new MessageChannel();
  port1.on("message", ({ number, file }) => {
    try {
      port1.postMessage({ number, text: textFor(grader, file) });
    } catch (error) {
      port1.postMessage({ number, error: String(error?.stack ?? error) });
    }
  });
  port1.unref();
  const text = `import fs from "node:fs"; import path from "node:path"; import { fileURLToPath } from "node:url";
    const WORKSPACE = ${JSON.stringify(WORKSPACE)}; const isInside = ${isInside}; const isLocal = ${isLocal};
    ${isCaseFile}; const isSubmitted = ${isSubmitted}; ${refuse};
    export const { initialize, resolve, load } = (${inThread})(isSubmitted, refuse, fileURLToPath);`;
  Module.register(`data:text/javascript,${encodeURIComponent(text)}`, { data: { port: port2 }, transferList: [port2] });
}

function hookBun(grader) {
  Bun.plugin({
    name: "gradebox",
    setup(build) {
      build.onLoad({ filter: /\.(node|wasm)$/ }, ({ path: file }) => {
        throw new Error(`Cannot load '${file}': programs of the processor are not loaded by tests that are judged apart`);
      });
      build.onLoad({ filter: new RegExp(`^${WORKSPACE.replace(/[^\w/]/g, "\\$&")}/.*\\.[cm]?[jt]sx?$`) }, ({ path: file }) => {
        const own = /\.([cm]?[jt]sx?)$/.exec(file)[1].replace(/^[cm]/, "");
        if (!isSubmitted(file)) {
          grader.said += fs.readFileSync(file, "utf8");
          return { contents: fs.readFileSync(file, "utf8"), loader: own };
        }
        // Tests of the submission's own are not run.
        if (/[._](test|spec)\.\w+$/.test(file)) return { contents: "", loader: "js" };
        refuse(file, file);
        const source = fs.readFileSync(file, "utf8");
        const isCommon = /\bmodule\.exports\b|\bexports\.\w/.test(source) && !/^\s*(import|export)\b/m.test(source);
        if (!isCommon) return { contents: standInText(grader, file), loader: "js" };
        return { contents: `module.exports = globalThis[Symbol.for("gradebox.modules")](${JSON.stringify(file)}, true);`, loader: "js" };
      });
    },
  });
}
