// Says whose a module is, by its name and the host's list of files of the case. It looks for nothing in the workspace
// and follows no link there. It also runs in the thread of Node's that resolves modules.

const SUFFIXES = "mjs js cjs ts mts cts tsx jsx json".split(" ").map((suffix) => `.${suffix}`);

class Finder {
  constructor(workspace, files) {
    this.workspace = workspace;
    this.files = files;
    this.ofRoot = new Map();
    this.own = (read) => read();
  }

  // Whether a file is the case's, by its name.
  isListed(file) {
    if (this.files)
      return file.startsWith(`${this.workspace}/`) && Object.hasOwn(this.files, file.slice(this.workspace.length + 1));
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    const isOurs = found?.isFile() && [0, process.geteuid()].includes(found.uid);
    return Boolean(isOurs) && found.nlink === 1 && fs.realpathSync(file) === file;
  }

  // Whether a file lies outside the workspace, where only root can write.
  isOfImage(file) {
    const isOutside = (place) =>
      !["/proc", this.workspace].some((other) => place.startsWith(`${other}/`)) && this.isOfRoot(place);
    return path.isAbsolute(file) && isOutside(file) && fs.existsSync(file) && isOutside(fs.realpathSync(file));
  }

  isOfRoot(file) {
    if (!this.ofRoot.has(file)) {
      let found;
      try {
        found = fs.lstatSync(file);
      } catch {}
      const isClosed = found?.uid === 0 && (found.isSymbolicLink() || (found.mode & 0o22) === 0);
      this.ofRoot.set(file, Boolean(isClosed) && (file === "/" || this.isOfRoot(path.dirname(file))));
    }
    return this.ofRoot.get(file);
  }

  // What a name means in a file: { builtin }, { file } of the case, { image } or { submitted }.
  find(name, parent) {
    if (/^(node|bun):|^bun$/.test(name) || Module.isBuiltin(name)) return { builtin: name };
    if (!/^(\.\.?(\/|$)|\/|file:)/.test(name)) return this.package(name, parent);
    const place = name.startsWith("file:") ? fileURLToPath(name) : path.resolve(path.dirname(parent), name);
    const file = this.listed(place);
    return file ? { file } : this.isOfImage(place) ? { image: place } : { submitted: name };
  }

  listed(place) {
    const inDirectory = SUFFIXES.map((suffix) => `/index${suffix}`);
    const typed = /\.[cm]?jsx?$/.test(place) ? [place.replace(/js(x?)$/, "ts$1")] : [];
    const all = ["", ...SUFFIXES, ...inDirectory].map((end) => place + end);
    return [...all, ...typed].find((file) => this.isListed(file));
  }

  // A package that the case brings, or one of the image; what only the submission has is never taken for one.
  package(name, parent) {
    if (/^[#~]|^@\//.test(name)) return { submitted: name };
    const [own, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name).slice(1);
    let place = path.dirname(parent);
    for (; this.files && place.startsWith(this.workspace); place = path.dirname(place)) {
      const base = `${place}/node_modules/${own}`;
      if (!this.isListed(`${base}/package.json`)) continue;
      const { exports, main } = JSON.parse(this.read(`${base}/package.json`));
      const choose = (found) => {
        if (!found || typeof found !== "object") return found;
        return choose(found.node ?? found.import ?? found.default ?? found.require);
      };
      const inside = typeof exports === "string" ? exports : (exports?.[`.${rest}`] ?? (rest ? undefined : exports));
      const file = this.listed(path.join(base, choose(inside) ?? (rest || main || "index")));
      if (file) return { file };
    }
    return { image: name };
  }

  // The text of a file of the case: of the bytes that the host has listed.
  read(file) {
    const bytes = this.own(() => fs.readFileSync(file));
    const digest = this.files?.[file.slice(this.workspace.length + 1)];
    if (digest && createRequire("/")("node:crypto").createHash("sha256").update(bytes).digest("hex") !== digest) {
      throw new Error(`${file} is not as the case has it`);
    }
    return bytes.toString("utf8");
  }

  isModule(file, text) {
    if (/\.c[jt]s$/.test(file)) return false;
    const isTold = /^\s*(import\s*[\w{*"']|export\s)|\bimport\.meta\b|^\s*await\s/m.test(text);
    return isTold || /\.m[jt]s$|\.tsx?$/.test(file);
  }
}
