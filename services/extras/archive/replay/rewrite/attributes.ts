/** The attributes with links, by element, and their values when a page is shown from an archive. */
import { parseRefresh } from '../../../../../topology/parse/meta-refresh.ts';
import { rewriteCss } from './css.ts';
import type { Linker } from './linker.ts';
import { rewriteSrcset } from './srcset.ts';

/** `null`: the attribute is removed. `undefined`: it stays unchanged. */
export type Change = string | null | undefined;

export type Attributes = ReadonlyMap<string, string>;

const links = new Set(
  'href xlink:href src poster data action formaction background longdesc lowsrc dynsrc codebase classid profile'.split(
    ' ',
  ),
);
const sets = new Set(['srcset', 'imagesrcset']);
/**
 * Attributes to remove: they send hidden requests, check content that is rewritten here (`integrity`), or have no
 * meaning in an archive (the page's cache and frames).
 */
const dropped = new Set('ping integrity manifest attributionsrc nonce sandbox csp allow http-equiv archive'.split(' '));
/** `http-equiv` values that do not affect the surrounding page. */
const keptEquivalents = new Set(['content-type', 'content-language', 'default-style', 'x-ua-compatible']);
/** Relations that make a browser contact a host, or fetch a page without a user's request. */
const declared =
  /^(?:preconnect|dns-prefetch|prefetch|prerender|modulepreload|manifest|pingback|search|serviceworker)$/i;
/** Attributes of SVG with CSS values. */
const styled = new Set('style fill stroke filter mask clip-path cursor marker-start marker-mid marker-end'.split(' '));
const animations = new Set(['animate', 'set', 'animatemotion', 'animatetransform']);

/** `element`, `name`: in lower case. `of`: all attributes of the element. */
export function changeOf(
  element: string,
  name: string,
  value: string,
  of: Attributes,
  linker: Linker,
  nested: (html: string) => string,
): Change {
  if (element === 'base') return null;
  if (element === 'meta') return changeOfMeta(name, value, of, linker);
  // An animation could replace the rewritten link by another one.
  if (animations.has(element) && name === 'attributename' && /href/i.test(value)) return null;
  if (element === 'link' && name === 'rel') return relationsOf(value);
  if (element === 'link' && name === 'href' && relationsOf(of.get('rel') ?? '') === '') return null;
  if (dropped.has(name)) return null;
  // A page is shown in a frame, which it cannot leave; where its own frames have names, these stay.
  if (name === 'target') return /^_(?:blank|top|parent)$/i.test(value.trim()) ? null : undefined;
  if (sets.has(name)) return rewriteSrcset(value, linker.lead);
  if (name === 'srcdoc') return nested(value);
  if (styled.has(name)) return value.includes('(') ? changed(rewriteCss(value, linker), value) : undefined;
  if (!links.has(name)) return undefined;
  return linker.lead(value) ?? undefined;
}

function changeOfMeta(name: string, value: string, of: Attributes, linker: Linker): Change {
  const equivalent = (of.get('http-equiv') ?? '').trim().toLowerCase();
  if (name === 'http-equiv') return keptEquivalents.has(equivalent) || equivalent === 'refresh' ? undefined : null;
  if (name === 'charset') return 'utf-8';
  if (name !== 'content') return undefined;
  if (equivalent === 'content-type') return 'text/html; charset=utf-8';
  if (equivalent !== 'refresh') return undefined;
  const refresh = parseRefresh(value);
  if (refresh === null) return undefined;
  return `${refresh.delaySeconds};url=${linker.lead(refresh.href) ?? refresh.href}`;
}

/** Attributes that stay. */
function relationsOf(rel: string): string {
  return rel
    .split(/\s+/)
    .filter((one) => one !== '' && !declared.test(one))
    .join(' ');
}

function changed(now: string, before: string): string | undefined {
  return now === before ? undefined : now;
}
