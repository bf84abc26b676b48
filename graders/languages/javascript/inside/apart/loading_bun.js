// The hooks of Bun for `import` and `require`, as loading has them for Node.js.

// By some parts of Bun's library, tests see what the submission may have made in another way than by answers. These are
// unknown as soon as a test uses one: each part that is not listed here, or asks for paths by itself.

// What sees nothing of files and other processes among the parts of `Bun`, or asks by itself below.
const HARMLESS = new RegExp(
  "^(ArrayBufferSink|Cookie.*|CryptoHasher|MD\\d|SHA.*|JSON.*|markdown|TOML|XML|YAML|Transpiler|CSRF|unsafe|argv|cwd|env|" +
    "color|deep.*|hash|sha|.*(de|in)flate.*|g(un)?zip.*|zstd.*|(allocUnsafe|concatArrayBuffers)|escapeHTML|.*FileURL.*|" +
    "fileURLToPath|gc|generateHeapSnapshot|indexOfLine|inspect|jest|nanoseconds|password|peek|plugin|randomUUID.*|" +
    "readableStreamTo.*|semver|shrink|sleep.*|std(in|out|err)|stringWidth|.*Ansi|.*ANSI|connect|listen|serve|udpSocket|" +
    "file|write|mmap|spawn|spawnSync|[$]|sql|SQL|postgres)$",
);
// What cannot be replaced there, or takes long to make, is looked for in the text; other modules than these are, too.
const UNREPLACED = "(fetch|dns|WebView|sql|SQL|postgres)";
const OF_BUN = new RegExp(
  `\\bBun\\s*\\??\\.\\s*${UNREPLACED}\\b|\\b${UNREPLACED}\\b[^{}]*\\}\\s*(=\\s*Bun\\b|from\\s*["']bun["'])`,
);

// Whatever is done with a part of the library is a look.
function observe(place, name, looks) {
  const isOpen = descriptorOf(place, name)?.writable;
  const plain = isOpen && place[name];
  if (!isObject(plain)) return;
  const looking =
    (does) =>
    (...args) => {
      looks();
      return does(...args);
    };
  const get = (target, key) => {
    const found = Reflect.get(target, key);
    return typeof target !== "function" && typeof found === "function" ? found.bind(target) : found;
  };
  const [apply, construct] = [looking(Reflect.apply), looking(Reflect.construct)];
  place[name] = new Proxy(plain, { apply, construct, get: looking(get) });
}

function observeAll(looks) {
  for (const name of ["WebSocket", "EventSource"]) observe(globalThis, name, looks);
  for (const name of Object.keys(Bun)) if (!HARMLESS.test(name)) observe(Bun, name, looks);
}

// Bun asks for a name only if it has a suffix, so all names in files of the case get one. What is not a name in the text is
// looked up here.
function marked(loader, text, kind) {
  const imports = /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\2/g;
  const names = new Bun.Transpiler({ loader: kind }).scanImports(text).map((each) => each.path);
  for (const name of names) if (/^(bun|node):/.test(name)) loader.builtin(name);
  const isMarked = (name) => names.includes(name) && (isGuarded(name) || !loader.finder.find(name, WORKSPACE).builtin);
  const computed = /(?<![.\w$])import\s*\((?!\s*(["'])[^"'\n]*\1\s*[,)])/g;
  const named = text.replace(computed, 'globalThis[Symbol.for("gradebox.import")](import.meta.path, ');
  return named.replace(imports, (all, word, quote, name) =>
    isMarked(name) ? `${word}${quote}${name.replace(/^node:/, "")}.gradebox${quote}` : all,
  );
}

// By JSX, a file also imports what it does not name: `SOURCE/jsx-runtime`. Bun asks for that, too, if SOURCE has a suffix.
function withRuntime(text) {
  const pragma = /(@jsxImportSource\s+)([^\s*]+)/g;
  const [, usual] = /--tsconfig-override=(\S+)/.exec(process.env.BUN_OPTIONS ?? "") ?? [];
  const named = /"jsxImportSource"\s*:\s*"([^"]+)"/.exec(usual ? fs.readFileSync(usual, "utf8") : "");
  const source = [...text.matchAll(pragma)][0]?.[2] ?? named?.[1] ?? "react";
  return `/* @jsxImportSource ${source}.gradebox */${text.replace(pragma, "$1$2.gradebox")}`;
}

function hookBun(loader) {
  const { finder, grader, known } = loader;
  /** @returns {any} */
  const exporting = (/** @type {any} */ { "module.exports": whole, ...found }) => ({
    exports: whole === undefined ? found : { ...found, default: whole, __esModule: true },
    loader: "object",
  });
  const resolve = ({ path: asked, importer }) => {
    const name = asked.replace(/\.gradebox(?=$|\/jsx-(dev-)?runtime$)/, "");
    const parent = path.isAbsolute(importer) ? importer : `${WORKSPACE}/gradebox.js`;
    if (!parent.startsWith(`${WORKSPACE}/`)) return undefined;
    if (isGuarded(name)) return { path: name, namespace: "library" };
    const { file, image, submitted } = finder.find(name, parent);
    if (file) known.add(file);
    if (submitted) return importer ? { path: JSON.stringify([name, parent]), namespace: "gradebox" } : undefined;
    return file || image ? { path: file ?? loader.image(image) } : undefined;
  };
  const importing = async (parent, asked) => loader.exports(String(asked), parent);
  Object.defineProperty(globalThis, Symbol.for("gradebox.import"), { value: importing });
  const loadSubmitted = ({ path: asked }) => {
    const [name, parent] = JSON.parse(asked);
    return exporting(loader.submitted(name, parent));
  };
  const load = ({ path: file }) => {
    if (!known.has(file) || !finder.isListed(file))
      throw grader.limit(`\`import()\` of a name without suffix, such as ${file}`);
    const text = finder.read(file);
    const [, kind] = /\.[cm]?([jt]sx?)$/.exec(file) ?? [];
    if (/\.(json|txt)$/.test(file)) return exporting({ default: dataIn(file, text) });
    if (!kind) return { contents: text, loader: "file" };
    if (!finder.isModule(file, text))
      return exporting({ ...loader.common(file), "module.exports": loader.requireFile(file) });
    const contents = marked(loader, loader.text(file), kind);
    return { contents: kind.endsWith("x") ? withRuntime(contents) : contents, loader: kind };
  };
  Bun.plugin({
    name: "gradebox",
    setup(build) {
      build.onResolve({ filter: /.*/ }, grader.noting(resolve));
      build.onLoad({ filter: /.*/, namespace: "gradebox" }, grader.noting(loadSubmitted));
      build.onLoad({ filter: /.*/, namespace: "library" }, (asked) => exporting(loader.library(asked.path)));
      build.onLoad({ filter: new RegExp(`^(?!${ofRoot(finder).join("|")}).*`) }, grader.noting(load));
    },
  });
}

// Directories that only root writes, as patterns of what lies in them.
function ofRoot(finder) {
  const [tops, changing] = [fs.readdirSync("/"), "proc dev tmp var home root run".split(" ")];
  const places = tops.filter((name) => !changing.includes(name)).map((name) => `/${name}`);
  const isClosed = (place) => finder.isOfRoot(place) && !`${WORKSPACE}/`.startsWith(`${place}/`);
  return places.filter(isClosed).map((place) => `${place.replace(/\W/g, "\\$&")}\\/`);
}
