// Programs that tests start: `candidate`, which runs the submission, and others, which run as the grader.

// Found before a test may have changed the PATH.
const INSTALLED = (process.env.PATH ?? "")
  .split(":")
  .filter(path.isAbsolute)
  .map((place) => path.join(place, "candidate"))
  .find((each) => fs.existsSync(each));
const [CANDIDATE, ...CANDIDATE_WORDS] = (process.env.GRADEBOX_CANDIDATE ?? INSTALLED ?? "candidate").split(" ");

// By these variables programs, and what loads them, find code.
const LOADING = new RegExp(
  "^(PATH|LD_.*|GCONV_PATH|LOCPATH|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|IFS|SHELL|NODE_(OPTIONS|PATH)|" +
    "OPENSSL_.*|BUN_.*|PYTHON(PATH|HOME|STARTUP|USERBASE|INSPECT|BREAKPOINT)|PERL5.*|PERLLIB|RUBY(LIB|OPT)|GEM_.*|" +
    "JULIA_.*|CLASSPATH|.*JAVA.*_OPTIONS|GIT_.*|EDITOR|PAGER)$",
);

// A shell, or any other program than `candidate`, would run as the grader what the submission has it load.
function otherVariable(name, args, usual) {
  const [command] = args;
  const given = args.findLast((each) => isObject(each) && !Array.isArray(each) && typeof each !== "function");
  const words = Array.isArray(command) ? command : (command?.cmd ?? [command]);
  const isDirect = /^(spawn|execFile)/.test(name) && !given?.shell && ["candidate", INSTALLED].includes(words[0]);
  if (isDirect) return undefined;
  return Object.entries(given?.env ?? process.env).find(
    ([key, value]) => LOADING.test(key) && value !== usual[key],
  )?.[0];
}

// What a test starts: `candidate` is the program that is installed, whatever the PATH is.
function installed(command) {
  if (isText(command)) return command.replace(/^candidate(?=\s|$)/, () => INSTALLED ?? "candidate");
  if (!isObject(command) || util.types.isProxy(command)) return command;
  if (!Array.isArray(command)) return command.cmd ? { ...command, cmd: installed(command.cmd) } : command;
  /** @type {any} */ const { raw } = command;
  const made = [installed(command[0]), ...command.slice(1)];
  return raw ? Object.assign(made, { raw: installed([...raw]) }) : made;
}
