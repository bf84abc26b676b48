// Files: what tests lend to the candidate, and what their process opens. No name that the submission made leads it
// anywhere: what is the candidate's on the way is taken first, its links are followed here, and they, or a path that it
// said, lead to nothing that the candidate could not read itself.

const { existsSync, lstatSync, readdirSync, readlinkSync } = fs;
// Where the candidate can make files.
const SHARED = [WORKSPACE, "/tmp", "/var/tmp", "/dev/shm"];
const [MOST_LENT, MOST_LINKS] = [8, 40];
// Functions that take a path, or two, and those that look at a link itself.
const OPENING = (
  "access appendFile chmod chown copyFile cp createReadStream createWriteStream exists lchown link lstat lutimes mkdir " +
  "mkdtemp open openAsBlob opendir readFile readdir readlink realpath rename rm rmdir stat statfs symlink truncate " +
  "unlink utimes watch watchFile writeFile"
).split(" ");
const OF_TWO = new Set("copyFile cp link rename".split(" "));
const OF_LINKS = new Set("lchown link lstat lutimes readlink rename rm symlink unlink".split(" "));
// Those of them that lead to what a file has.
const READING = new Set("copyFile cp createReadStream link open openAsBlob readFile rename symlink".split(" "));
const isBelow = (file, place) => file === place || file.startsWith(`${place}/`);

class Files {
  constructor(grader) {
    // Texts that crossed, and the paths that the submission's could be; what is lent, what is to be lent with the next
    // message, and all that ever was.
    this.grader = grader;
    this.heard = [];
    this.said = new Set();
    this.told = new Set();
    this.paths = new Set();
    this.lent = new Set();
    this.away = new Set();
    // The directory for temporary files of the tests.
    this.known = new Set();
    this.isOurs = false;
    this.isHanding = false;
    this.env = { ...process.env };
    this.top = process.env.TMPDIR || "/tmp";
  }

  // What crosses

  hears(text) {
    if (this.told.has(text)) return;
    this.heard.push(text);
    if (text.length < 4096) this.said.add(text);
  }

  // A path that a test passes, also within a text, is lent.
  tells(text) {
    this.told.add(text);
    for (let at = text.indexOf(`${this.top}/`); at >= 0; at = text.indexOf(`${this.top}/`, at + 1))
      this.name(path.resolve(text.slice(at).match(/^[^\s"'`,;]+/)[0]));
  }

  name(file) {
    if ([...this.lent, ...this.away].some((place) => isBelow(file, place)) || this.isSaid(file)) return;
    let place = file;
    while (!existsSync(place)) place = path.dirname(place);
    if (place === this.top && !this.isLentWhole())
      throw this.grader.limit(`${file} does not exist: make a directory for it with \`mkdtemp\``);
    if (isBelow(place, this.top)) this.away.add(place);
  }

  // Whether nothing is in the directory for temporary files but what was lent.
  isLentWhole() {
    return readdirSync(this.top).every((name) => this.known.has(path.join(this.top, name)));
  }

  // Before a message: what is away is the candidate's from now on.
  give() {
    const places = [...this.away].filter((place) => existsSync(place) && (place !== this.top || this.isLentWhole()));
    this.away.clear();
    if (!places.length) return;
    this.hand("--lend", places);
    for (const place of places) for (const set of [this.lent, this.known]) set.add(place);
    for (const place of [...this.lent].slice(0, -MOST_LENT)) this.take(place, false);
  }

  take(place, isBack = true) {
    this.hand("--reclaim", [place]);
    for (const name of place === this.top ? readdirSync(this.top) : []) this.known.add(path.join(this.top, name));
    this.lent.delete(place);
    this.known.add(place);
    if (isBack) this.away.add(place);
  }

  // Before a program of the tests is started.
  takeAll() {
    if (!this.isHanding) for (const place of this.lent) this.take(place);
  }

  hand(option, places) {
    this.isHanding = true;
    const done = childProcess().spawnSync(CANDIDATE, [option, ...places], { encoding: "utf8" });
    this.isHanding = false;
    if (done.status !== 0) throw new Error(`${places} cannot be passed to the submission: ${done.stderr}`);
  }

  // Where a name leads, and whether the submission had it lead there.
  lead(name, isOfLink) {
    let [place, isTheirs, links] = ["/", this.isSaid(path.resolve(name)), 0];
    const rest = path.isAbsolute(name) ? name.split("/") : `${process.cwd()}/${name}`.split("/");
    for (;;) {
      const part = rest.shift();
      if (part === undefined) return { place, isTheirs, links };
      if (part === "..") place = path.dirname(place);
      if (part === "" || part === "." || part === "..") continue;
      const next = path.join(place, part);
      const found = statOf(next);
      if (!found) return { place: [next, ...rest].join("/"), isTheirs, links };
      const isOther = found.uid !== 0 && found.uid !== process.geteuid();
      if (found.isSymbolicLink() && links < MOST_LINKS && (rest.length || !isOfLink)) {
        const target = readlinkSync(next);
        rest.unshift(...target.split("/"));
        if (target.startsWith("/")) place = "/";
        if (isOther) isTheirs = true;
        links += 1;
        continue;
      }
      if (isOther && SHARED.some((start) => isBelow(next, start))) {
        this.looks();
        this.take(next);
      }
      place = next;
    }
  }

  // What a function of the library is given in place of a path.
  open(file, isOfLink, isRead = true) {
    if (typeof file === "number") this.descriptor(file, isRead);
    const name = this.pathIn(file);
    if (!isText(name) || name === "" || name.includes("\0")) return file;
    if (this.grader.isTheirs(file)) this.hears(name);
    const { place, isTheirs, links } = this.lead(name, isOfLink);
    if (SHARED.slice(1).some((start) => isBelow(place, start))) this.looks();
    if (isTheirs && this.isClosed(place))
      throw this.grader.spoil(this.grader.limit(`the submission leads to ${place}, which it cannot read itself`));
    if (isRead && !this.isOurs) this.grader.uses("open", place);
    return links && isTheirs ? place : file;
  }

  // A number is a descriptor of this process: it could be that of any file that the tests have open.
  descriptor(number, isRead) {
    const place = attempt(() => readlinkSync(`/proc/self/fd/${number}`)) ?? "/";
    const { reading, writing, isOpen } = this.grader;
    const isOther = !place.startsWith("/") || number === reading || number === writing;
    if (number > 2 && (isOther || (isOpen && this.isClosed(place))))
      throw this.grader.spoil(this.grader.limit("a file is named by its path, not by a descriptor"));
    if (isRead && !this.isOurs) this.grader.uses("open", place);
  }

  // The text of a path, undefined for what is none. What came as an object could have another one each time.
  pathIn(file) {
    if (!isObject(file)) return file;
    if (util.types.isArrayBufferView(file) || util.types.isAnyArrayBuffer(file)) return String(bytesOf(file));
    if (!util.types.isProxy(file) && file instanceof URL) return fileURLToPath(file);
    if (!util.types.isProxy(file) && !tagOf(file) && !util.types.isStringObject(file)) return undefined;
    throw this.grader.spoil(this.grader.limit("a path is a text, bytes or a URL"));
  }

  // Bun fetches files, too.
  fetch(address) {
    const isRequest = !util.types.isProxy(address) && address instanceof Request;
    const text = isRequest ? address.url : String(address);
    const url = attempt(() => new URL(text));
    this.looks();
    if (url?.protocol === "file:") this.open(url);
    return isRequest ? address : text;
  }

  // Tests use what the submission may have made in another way than by answers.
  looks() {
    if (!this.isOurs && !this.isHanding) this.grader.answers.isVague = true;
  }

  // What this program reads itself.
  uncounted(read) {
    const before = this.isOurs;
    this.isOurs = true;
    try {
      return read();
    } finally {
      this.isOurs = before;
    }
  }

  // Whether the submission said a path, or one that is a part of it.
  isSaid(file) {
    for (const text of this.heard.splice(0)) for (const each of pathsIn(text)) this.paths.add(each);
    return [...this.paths].some((each) => {
      // What a test adds to a directory that the candidate can enter is the test's.
      if (each[0] !== ".") return file === each || (isBelow(file, each) && this.isClosed(each));
      const [tail, whole] = [each.slice(1), `${file}/`];
      return tail.lastIndexOf("/") > 0
        ? whole.includes(tail)
        : [`${tail}/`, `${tail}.`].some((end) => whole.includes(end));
    });
  }

  isClosed(place) {
    if (/^\/(proc|dev|sys)\//.test(place)) return true;
    if ([...this.known].some((each) => isBelow(place, each))) return false;
    for (let at = place; at !== "/"; at = path.dirname(at)) {
      const found = statOf(at);
      if (found && !(found.mode & (at === place && !found.isDirectory() ? 4 : 1))) return true;
    }
    return false;
  }

  // Have the library's functions ask for every path.
  guard() {
    // Nothing else of ours is in it: it is lent where a test names a file that is to be made there.
    this.top = process.env.TMPDIR = this.grader.env.TMPDIR = fs.mkdtempSync(path.join(this.top, "tests-"));
    for (const place of new Set([fs, fs.promises]))
      for (const name of OPENING)
        for (const full of [name, `${name}Sync`])
          this.replace(place, full, (...args) => {
            const count = OF_TWO.has(name) ? 2 : 1;
            return args.map((file, i) =>
              i < count ? this.open(file, OF_LINKS.has(name), i === 0 && READING.has(name)) : file,
            );
          });
    this.guardPrograms(childProcess());
    const [net, dgram] = ["net", "dgram"].map((name) => createRequire("/")(`node:${name}`));
    const connecting = { connect: net.Socket.prototype, listen: net.Server.prototype, createSocket: dgram };
    const ofBun = IS_BUN ? ["connect", "listen", "serve", "udpSocket"].map((name) => [name, Bun]) : [];
    const listing = ["glob", "globSync"].map((name) => [name, fs]);
    for (const [name, owner] of [...Object.entries(connecting), ...listing, ["glob", fs.promises], ...ofBun])
      this.replace(owner, name, (...args) => {
        this.looks();
        return args;
      });
    if (IS_BUN) {
      observeAll(() => this.looks());
      for (const name of ["file", "write", "mmap"])
        this.replace(Bun, name, (file, ...rest) => [this.open(file), ...rest]);
      for (const place of [globalThis, Bun])
        this.replace(place, "fetch", (address, ...rest) => [this.fetch(address), ...rest]);
      this.guardPrograms(Bun);
    }
    Module.syncBuiltinESMExports?.();
  }

  guardPrograms(place) {
    for (const name of "spawn spawnSync exec execSync execFile execFileSync fork $".split(" "))
      this.replace(place, name, (...args) => {
        this.looks();
        this.takeAll();
        const other = this.isHanding ? undefined : otherVariable(name, args, this.env);
        if (other)
          throw this.grader.spoil(this.grader.limit(`only \`candidate\` itself is started with another ${other}`));
        return [installed(args[0]), ...args.slice(1)];
      });
  }

  // Have a function begin with what its arguments become.
  replace(place, name, change) {
    const plain = place[name];
    if (typeof plain !== "function" || !descriptorOf(place, name)?.writable) return;
    const guarded = {
      [name](...args) {
        return Reflect.apply(plain, this, change(...args));
      },
    }[name];
    Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(plain));
    this.replace(guarded, "native", change);
    place[name] = guarded;
  }
}

// What lies there, undefined if there is nothing or it cannot be seen.
function statOf(place) {
  try {
    return lstatSync(place);
  } catch {
    return undefined;
  }
}

// What JSON and the like make of a text.
const withoutEscapes = (text) =>
  text
    .replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_, long, short) =>
      String.fromCharCode(parseInt(long ?? short, 16)),
    )
    .replace(/\\(.)/g, "$1");

// What in a text could be a path: absolute, or "./TAIL" for what ends, however it began, in that tail.
function* pathsIn(text) {
  const [plain, unescaped] = [attempt(() => decodeURIComponent(text)) ?? text, withoutEscapes(text)];
  const all = [text, plain, unescaped];
  const words = all.flatMap((each) => [...each.split(/[\s"'`,;()<>[\]{}|]+/), ...each.split(/[^\w./~+-]+/)]);
  for (const word of new Set([...all, ...words])) {
    if (!word.includes("/")) continue;
    const name = path.normalize(word.replace(/^file:(\/\/)?/, ""));
    if (name.startsWith("/")) yield name.replace(/(.)\/$/, "$1");
    else if (name.startsWith("../")) yield `.${name.replace(/^(\.\.\/)+/, "/")}`;
    else for (const start of new Set([process.cwd(), WORKSPACE])) yield path.join(start, name);
  }
}
