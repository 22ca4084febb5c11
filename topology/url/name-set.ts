/** Parameter names, lower-case. A name that ends in `*` matches every name with that beginning. */
export interface NameSet {
  has(lowerCaseName: string): boolean;
}

/** Names of session parameters. `sid:20` matches a `sid` only if its value has at least 20 characters. */
export interface SessionSet {
  has(lowerCaseName: string, value: string): boolean;
}

export function compileSessions(names: readonly string[]): SessionSet {
  const leastOf = new Map<string, number>();
  const always: string[] = [];
  for (const one of names) {
    const [, name, least] = /^(.+):(\d{1,4})$/.exec(one) ?? [];
    if (name === undefined) always.push(one);
    else leastOf.set(name.toLowerCase(), Number(least));
  }
  const plain = compileNames(always);
  return {
    has: (name, value) => plain.has(name) || value.length >= (leastOf.get(name) ?? Number.POSITIVE_INFINITY),
  };
}

export function compileNames(names: readonly string[]): NameSet {
  const lower = names.map((name) => name.toLowerCase());
  const exact = new Set(lower.filter((name) => !name.endsWith('*')));
  const prefixes = lower.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  // Most names begin like no prefix: one look-up shows that.
  const begins = new Set(prefixes.map((prefix) => prefix.charCodeAt(0)));
  return {
    has(name) {
      if (exact.has(name)) return true;
      if (!begins.has(name.charCodeAt(0))) return prefixes.includes('');
      for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
      return false;
    },
  };
}
