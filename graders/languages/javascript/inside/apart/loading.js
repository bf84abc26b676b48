// What the grader's process imports. Files of the case, modules of Node.js or Bun, and packages of the image are loaded
// here, the files from the bytes that the host has listed. All else is the submission's: the candidate's process finds
// and loads it, and a module of stand-ins takes its place. Nothing of the workspace is looked for here, and no link
// followed.

const IS_BUN = Boolean(process.versions.bun);
const { resolveSync: resolveOfBun } = IS_BUN ? Bun : {};
// What is guarded of the library. In Bun, names that are imported from there would stay as they were.
const isGuarded = (name) => IS_BUN && /^(node:)?(fs|fs\/promises|child_process)$/.test(name);
// What a thread of the tests may import, and words by which its text could lead anywhere.
const OF_THREADS =
  /\b(import|require)\b[\s\w{},*]*\(?["'](node:)?(assert|buffer|crypto|events|os|perf_hooks|timers|util|worker_threads)(\/\w+)?["']/g;
const LEADING = /\b(import|require|eval|Function|constructor|Worker|Bun|getBuiltinModule|binding|dlopen|globalThis)\b/;
const dataIn = (file, text) => (file.endsWith(".json") ? JSON.parse(text) : text);

class Loader {
  constructor(grader) {
    const finder = new Finder(WORKSPACE, TOLD.files);
    this.grader = grader;
    this.finder = finder;
    this.root = createRequire("/gradebox.js");
    this.required = new Map();
    this.kept = [];
    // Files of the case that names in its files mean.
    this.known = new Set();
    /** @type {Promise<void> | undefined} */ this.hooked = undefined;
    /** @type {undefined | ((runner: any) => void)} */ this.tested = undefined;
    Object.defineProperty(globalThis, Symbol.for("gradebox.modules"), { value: this.kept });
    grader.files.guard();
    // What is guarded is no replacement of the tests.
    grader.plain = REPLACED.map(inLibrary);
    grader.before = [...grader.plain];
    finder.own = (read) => grader.files.uncounted(read);
    grader.isOfCase = (file) => Boolean(TOLD.files) && finder.isListed(file);
    const refused = (name) => grader.spoil(grader.limit(`\`${name}\` needs a file: use an inline snapshot`));
    if (IS_BUN) guardMatchers(this.root("bun:test").expect, refused, grader.asserts);
    if (globalThis.Worker) this.guardThreads(globalThis);
    if (!IS_BUN) this.guardFiles(/** @type {any} */ (Module)._extensions);
  }

  // Have modules found and loaded so from now on.
  hook() {
    this.builtin("worker_threads");
    return (this.hooked ??= Promise.resolve(IS_BUN ? hookBun(this) : hookNode(this)));
  }

  // A module of the runtime is about to be used.
  builtin(name) {
    this.grader.builtins.add(name);
    if (/^(bun:(?!test$|jsc$)|node:sqlite$)/.test(name)) this.grader.files.looks();
    if (name === "node:test") this.tested?.(this.root(name));
    if (!/^(node:)?worker_threads$/.test(name) || this.isGuarded) return;
    this.isGuarded = true;
    this.guardThreads(this.root(name));
    Module.syncBuiltinESMExports?.();
  }

  // Whatever loads a file by its path, this process runs only those of the case and of the image.
  guardFiles(loading) {
    for (const [end, load] of Object.entries(loading))
      loading[end] = (module, file) => {
        if (!this.finder.isListed(file) && !this.finder.isOfImage(file))
          throw this.grader.spoil(this.grader.limit(`${file} is the submission's: import it by its relative name`));
        return load(module, file);
      };
  }

  // A thread runs in this process and has no guards, so its text must lead nowhere.
  guardThreads(place) {
    const { finder, grader } = this;
    place.Worker = class extends place.Worker {
      constructor(file, options) {
        const name = String(file).startsWith("file:") ? fileURLToPath(String(file)) : path.resolve(String(file));
        const isKnown = options?.eval || finder.isListed(name) || finder.isOfImage(name);
        const text = !isKnown ? "import" : options?.eval ? String(file) : String(finder.read(name));
        if (options?.execArgv || LEADING.test(text.replace(OF_THREADS, "")))
          throw grader.spoil(
            grader.limit("a thread of the tests imports nothing but parts of Node.js that lead nowhere"),
          );
        grader.files.looks();
        super(options?.eval ? text : file, options);
      }
    };
  }

  // Where the image has a package or file.
  image(name) {
    let file;
    try {
      file = IS_BUN ? resolveOfBun(name, "/") : this.root.resolve(name);
    } catch {}
    if (file && (Module.isBuiltin(file) || this.finder.isOfImage(file))) return file;
    const error = new Error(`Cannot find package '${name}': the image does not have it`);
    throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
  }

  library(name) {
    const found = this.root(name);
    return { ...found, default: found };
  }

  text(file) {
    const text = this.finder.read(file);
    this.grader.hasText(text);
    return text;
  }

  // What `import` gives in a file of the case.
  async exports(name, parent) {
    if (/^\w+:/.test(name) && !/^(node|bun|file):/.test(name)) this.grader.addresses(name);
    const { builtin, file, image, submitted } = this.finder.find(name, parent);
    if (submitted) {
      const { "module.exports": _, ...found } = this.submitted(submitted, parent);
      return found;
    }
    if (builtin) this.builtin(builtin);
    if (isGuarded(name)) return this.library(name);
    if (!builtin) await this.hook();
    // Node's thread says it.
    if (file && IS_BUN) this.grader.uses("import", file, name);
    if (file) this.known.add(file);
    const place = builtin ?? file ?? this.image(image);
    return import(path.isAbsolute(place) ? pathToFileURL(place).href : place);
  }

  submitted(name, parent) {
    const found = this.grader.module(name, parent);
    return /\.(json|txt)$/.test(name) ? { default: dataIn(name, found.text) } : found;
  }

  // What `require` gives in a file of the case.
  require(name, parent) {
    const { builtin, file, image, submitted } = this.finder.find(name, parent);
    if (submitted) return this.grader.module(submitted, parent, true);
    if (builtin) this.builtin(builtin);
    if (file) this.grader.uses("require", file, name);
    return file ? this.requireFile(file) : this.root(builtin ?? this.image(image));
  }

  requireFile(file) {
    if (!this.required.has(file)) {
      const module = Object.assign(new Module(file, null), { filename: file, paths: [] });
      this.required.set(file, module);
      if (file.endsWith(".json")) module.exports = JSON.parse(this.text(file));
      else if (IS_BUN) this.compile(module, file);
      else /** @type {any} */ (module)._compile(this.text(file), file);
    }
    return this.required.get(file).exports;
  }

  // Bun's own `require` would look in the workspace.
  compile(module, file) {
    const made = new Bun.Transpiler({ loader: "ts", target: "bun" }).transformSync(this.text(file));
    const run = CODE.function("module", "exports", "require", "__filename", "__dirname", made);
    run(module, module.exports, (name) => this.require(name, file), file, path.dirname(file));
  }

  // The exports of a CommonJS file of the case, for `import`.
  common(file) {
    const found = this.requireFile(file);
    return { ...(isObject(found) ? found : {}), default: found };
  }
}
