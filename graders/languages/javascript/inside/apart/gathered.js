// What the candidate's process gathers of an object for the grader's: its data, its fields, its getters.

// The class, with another time.
function dateOf(plain, now) {
  const made = new Proxy(plain, {
    construct: (_, args, of) => Reflect.construct(plain, args.length ? args : [now()], of === made ? plain : of),
    apply: () => String(new plain(now())),
  });
  return made;
}

// What a getter gives, if anything.
function attempt(get) {
  try {
    return get();
  } catch {
    return undefined;
  }
}

// All that an object has of its own: whether more can be added, the values that have names, and the rest of all keys.
function fieldsOf(value, record) {
  const values = record({ __proto__: null });
  const keys = Reflect.ownKeys(value).map((key) => {
    const { value: found, get, set, ...can } = Object.getOwnPropertyDescriptor(value, key);
    if (isText(key)) values[key] = found;
    return [key, can, isText(key) ? undefined : found, get, set];
  });
  return [Reflect.isExtensible(value), values, keys];
}

// What the getters of its classes give.
function gettersOf(value) {
  const found = { __proto__: null };
  for (let place = value; place && !BASE_NAMES.has(place); place = Object.getPrototypeOf(place))
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(place)))
      if (get && !Object.hasOwn(found, key)) found[key] = attempt(() => value[key]);
  return found;
}

// The data in an object where the tests take data: of what its class is derived from, a number, or its fields.
function dataOf(value) {
  const { isMap, isSet, isDate, isBoxedPrimitive } = util.types;
  if (Array.isArray(value)) return Array.prototype.slice.call(Array.from(value));
  if (isMap(value)) return new Map(Map.prototype.entries.call(value));
  if (isSet(value)) return new Set(Set.prototype.values.call(value));
  if (isDate(value)) return new Date(Date.prototype.getTime.call(value));
  if (ArrayBuffer.isView(value)) return globalThis[BASE_NAMES.get(baseOf(value))]?.from(value);
  if (value instanceof URL || value instanceof URLSearchParams) return String(value);
  if (util.types.isProxy(value) || typeof value.then === "function") return value;
  if (typeof value === "function" && Object.keys(value).length === 0) return value;
  const converted =
    value[Symbol.toPrimitive]?.("number") ?? (typeof value.valueOf === "function" ? value.valueOf() : value);
  if (isBoxedPrimitive(value) || ["number", "bigint"].includes(typeof converted)) return converted;
  if (value[Symbol.iterator] || value[Symbol.asyncIterator] || typeof value.next === "function") return value;
  const fields = { ...value };
  return CLOSE[closedness(value)]?.(fields) ?? fields;
}
