/** Inherited settings of an XML element: namespace prefixes (Namespaces in XML §6), and xml:base (XML Base §3). */

export interface XmlScope {
  /** Prefix → namespace; '' is the default one. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Base of relative references, absolute; empty: no xml:base applies. */
  readonly base: string;
}

export const emptyScope: XmlScope = { namespaces: new Map(), base: '' };

/** Most declarations in force at once; no real document has more. */
const namespacesMax = 64;

/** The scope within an element. `url`: URL of the document. */
export function scopeWithin(outer: XmlScope, attributes: ReadonlyMap<string, string>, url: string): XmlScope {
  let scope = outer;
  for (const [name, value] of attributes) {
    if (name === 'xml:base') scope = { ...scope, base: resolvedBase(value, scope.base || url) ?? scope.base };
    else if (name === 'xmlns' || name.startsWith('xmlns:')) {
      if (scope.namespaces.size >= namespacesMax) continue;
      scope = { ...scope, namespaces: new Map(scope.namespaces).set(name.slice(6), value.trim()) };
    }
  }
  return scope;
}

/** null: not an address of the web. */
function resolvedBase(written: string, outer: string): string | null {
  const text = written.trim();
  if (text === '') return null;
  try {
    const { protocol, href } = new URL(text, outer === '' ? undefined : outer);
    return protocol === 'http:' || protocol === 'https:' ? href : null;
  } catch {
    return null;
  }
}

/** Tracks which prefixes mean the root's namespace, as elements with declarations open and close. */
export class RootNamespace {
  readonly #rootPrefix: string;
  readonly #namespace: string;
  /** Scopes with the depth of the element that declares them. */
  readonly #scopes: { readonly depth: number; readonly scope: XmlScope }[];
  #depth = 0;

  constructor(rootPrefix: string, attributes: ReadonlyMap<string, string>) {
    const scope = scopeWithin(emptyScope, attributes, '');
    this.#rootPrefix = rootPrefix;
    this.#namespace = scope.namespaces.get(rootPrefix) ?? '';
    this.#scopes = [{ depth: 0, scope }];
  }

  open(attributes: ReadonlyMap<string, string>): void {
    this.#depth += 1;
    if (attributes.size === 0) return;
    const outer = this.#scopes.at(-1)!.scope;
    const scope = scopeWithin(outer, attributes, '');
    if (scope !== outer && this.#scopes.length < namespacesMax) this.#scopes.push({ depth: this.#depth, scope });
  }

  close(): void {
    if (this.#scopes.length > 1 && this.#scopes.at(-1)!.depth >= this.#depth) this.#scopes.pop();
    this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Some writers take the default namespace away (`xmlns=""`), and mean the same elements. */
  has(prefix: string): boolean {
    const namespace = this.#scopes.at(-1)!.scope.namespaces.get(prefix);
    if (namespace === undefined || namespace === '') return prefix === this.#rootPrefix;
    return namespace === this.#namespace || (this.#namespace === '' && prefix === this.#rootPrefix);
  }
}
