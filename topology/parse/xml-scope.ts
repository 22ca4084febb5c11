/** What holds within an XML element: the names of namespaces (Namespaces in XML §6), and xml:base (XML Base §3). */

export interface XmlScope {
  /** Prefix → namespace; '' is the default one. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** What relative references resolve against. Absolute; '': no xml:base is in force. */
  readonly base: string;
}

export const emptyScope: XmlScope = { namespaces: new Map(), base: '' };

/** Declarations in force at once; markup with more is not a document that anybody wrote. */
const namespacesMax = 64;

/** The scope within an element. `url`: of the document. */
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

/** null: it is no address of the web. */
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
