// Stand-ins for objects of the other side's: what is done to one is requested there.
//
// A stand-in of the grader's for an object of the candidate's has all that the object has. One of the candidate's for an
// object of the grader's has what grader.js gives.

// What looks into data: of an object whose class the tests do not name, it would give away what they expect, and say yes.
const JUDGES = new Set(
  "includes indexOf lastIndexOf startsWith endsWith every some find findIndex findLast findLastIndex filter match test search localeCompare".split(" "),
);
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const CALLS = { call: (f) => (self, ...args) => f(self, args), apply: (f) => (self, args = []) => f(self, [...args]),
  bind: (f) => (self, ...first) => (...args) => f(self, [...first, ...args]) };

Peer.prototype.proxy = function (number, kind) {
  const peer = this;
  const target = kind === "object" ? {} : kind === "array" ? [] : kind === "function" ? () => {} : function () {}.bind();
  if (kind === "class" || kind === "function") {
    delete target.name;
    delete target.length;
  }
  // Shown by util.inspect, which looks at the target.
  Object.defineProperty(target, INSPECT, { value: () => peer.shown(self), configurable: true });
  const isFixed = (key) => Object.getOwnPropertyDescriptor(target, key)?.configurable === false;
  const self = new Proxy(target, {
    get(_, key, receiver) {
      if (!Reflect.isExtensible(target) && isFixed(key)) return Reflect.get(target, key);
      if (kind === "class" || kind === "function") {
        const call = typeof key === "string" && Object.hasOwn(CALLS, key) && CALLS[key];
        if (call) return call((that, args) => peer.ask("apply", self, that, ...args));
        if (key === Symbol.hasInstance) return Function.prototype[key];
      }
      peer.look(self, key);
      const convert = key === Symbol.toPrimitive && peer.converting(self);
      if (convert) return convert;
      return receiver === self || peer.numbers.get(receiver) === undefined ? peer.ask("get", self, key) : peer.ask("get", self, key, receiver);
    },
    set(_, key, value, receiver) {
      if (receiver !== self) return Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
      return peer.ask("set", self, key, value);
    },
    has: (_, key) => peer.ask("has", self, key),
    deleteProperty: (_, key) => peer.ask("delete", self, key),
    ownKeys() {
      if (!Reflect.isExtensible(target)) return Reflect.ownKeys(target);
      return peer.ask("keys", self).filter((key) => typeof key === "string" || typeof key === "symbol");
    },
    getOwnPropertyDescriptor(_, key) {
      if (!Reflect.isExtensible(target)) return Object.getOwnPropertyDescriptor(target, key);
      const found = peer.ask("describe", self, key);
      if (found === undefined) return undefined;
      const [value, get, set, enumerable, writable] = found;
      if (kind === "array" && key === "length") return { value, writable: true, enumerable: false, configurable: false };
      const common = { enumerable: Boolean(enumerable), configurable: true };
      return get || set ? { get, set, ...common } : { value, writable: Boolean(writable), ...common };
    },
    defineProperty(_, key, { value, get, set, enumerable, writable }) {
      return peer.ask("define", self, key, value, get, set, enumerable, writable);
    },
    getPrototypeOf: () => peer.prototypes.get(self) ?? (kind === "class" || kind === "function" ? Function.prototype : null),
    setPrototypeOf: (_, prototype) => peer.ask("inherit", self, prototype),
    isExtensible() {
      if (Reflect.isExtensible(target) && !peer.ask("isExtensible", self)) close();
      return Reflect.isExtensible(target);
    },
    preventExtensions() {
      peer.ask("close", self);
      close();
      return true;
    },
    apply: (_, that, args) => peer.ask("apply", self, peer.isTheirs(that) ? that : undefined, ...args),
    construct(_, args, made) {
      if (made !== self) throw new TypeError("a class of the submission cannot be derived from in the tests: judge with `isolation: in-process`");
      return peer.ask("new", self, ...args);
    },
  });
  // What cannot be extended any more is the same here as there from now on.
  const close = () => {
    delete target[INSPECT];
    for (const key of peer.ask("keys", self)) {
      const [value, get, set, enumerable, writable, configurable] = peer.ask("describe", self, key);
      const rest = { enumerable: Boolean(enumerable), configurable: Boolean(configurable) };
      Reflect.defineProperty(target, key, get || set ? { get, set, ...rest } : { value, writable: Boolean(writable), ...rest });
    }
    Reflect.setPrototypeOf(target, peer.prototypes.get(self) ?? null);
    Object.preventExtensions(target);
  };
  return self;
};
