/**
 * Names in rules, in the spelling of normal URLs. A rule with another spelling would never match a URL.
 *
 * | as written | becomes |
 * | --- | --- |
 * | `Bücher.example`, ` a.test `, `a.test.` | `xn--bcher-kva.example`, `a.test` |
 * | `https://a.test/` for a host or a domain | `a.test` |
 * | `*.a.test`, `.a.test` for a domain | `a.test` |
 * | `https://A.test:443/ä` for a prefix | `https://a.test/%C3%A4` |
 * | `https://a.test` for a prefix | `https://a.test/`, so that `https://a.test.evil.example/` does not match |
 * | `.PDF`, `*.pdf` for an extension | `pdf` |
 */
import { canParse } from './can-parse.ts';
import { normalizeEscapes } from './escapes.ts';

/** `wrong` says why no URL can have the name, with the remedy. */
export type RuleName = { readonly name: string } | { readonly wrong: string };

/** Host name, or host key with a port. */
export function ruleHost(text: string): RuleName {
  const given = text.trim();
  if (given.includes('*')) return wrong('a host cannot have a wildcard; add the domain to domains, as in ads.test');
  return hostPart(given, 'write a host, as in a.test or a.test:8080');
}

/** Domain, with its subdomains. */
export function ruleDomain(text: string): RuleName {
  const given = text.trim().replace(/^(?:https?:\/\/)?\*?\.(?=[^.])/i, '');
  const remedy = 'write a domain, as in ads.test; it includes its subdomains';
  if (given.includes('*')) return wrong(`a wildcard is allowed only as the first label; ${remedy}`);
  const host = hostPart(given, remedy);
  if ('wrong' in host || !/:\d+$/.test(host.name)) return host;
  return wrong(`a domain cannot have a port; ${remedy}`);
}

/** Beginning of a normal URL. */
export function rulePrefix(text: string): RuleName {
  const given = text.trim();
  const parts = /^(https?):\/\/([^/?#\\]*)([\s\S]*)$/i.exec(given);
  if (parts === null) return wrong('a prefix starts with http:// or https://, as in https://a.test/docs/');
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (authority.endsWith('.') || authority.includes('*'))
    return wrong('a prefix needs a complete host name; for a part of a host name, use an include or exclude pattern');
  if (rest.includes('#')) return wrong('normal URLs have no fragment; remove # and the text after it');
  const url = `${scheme.toLowerCase()}://${authority}/`;
  if (authority.includes('@') || !canParse(url))
    return wrong('it has no host; write a prefix as in https://a.test/docs/');
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { name: `${new URL(url).href.slice(0, -1)}${escaped(path)}` };
}

/** Extension of a path's last segment. */
export function ruleExtension(text: string): RuleName {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^\*?\./, '');
  if (!/^[!-~]+$/.test(name) || /[./?#*]/.test(name))
    return wrong('an extension is the text after the last dot; write pdf, or gz for .tar.gz');
  return { name };
}

/**
 * Finds characters in a pattern that no normal URL has. Reports only certain faults.
 *
 * @returns what is wrong, or null
 */
export function patternFault(source: string): string | null {
  if (/^[\0-\x7f]*$/.test(source)) return null;
  return 'normal URLs are ASCII; write %C3%A4 for ä in a path, and xn--… for a host';
}

function hostPart(given: string, remedy: string): RuleName {
  const isUrl = /^https?:\/\//i.test(given);
  const bare = (isUrl ? given.slice(given.indexOf('//') + 2) : given).replace(/\/$/, '');
  if (bare === '' || /[/?#@\\\s]/.test(bare)) return wrong(`it is not a host; ${remedy}`);
  if (/:$/.test(bare) && !bare.endsWith(']')) return wrong(`its port is missing; ${remedy}`);
  const scheme = isUrl ? given.slice(0, given.indexOf(':')).toLowerCase() : 'http';
  // A port that one scheme leaves out is in no URL of that scheme: `a.test:443` would be http alone.
  const isDefault = isUrl ? null : /:(?:80|443)$/.exec(bare);
  if (isDefault !== null && !bare.endsWith(']'))
    return wrong(`${isDefault[0]} is a default port, which is left out of host names; ${remedy}`);
  const url = `${scheme}://${bare}/`;
  if (!canParse(url)) return wrong(`it is not a host; ${remedy}`);
  const name = new URL(url).host.replace(/\.(?=:\d+$|$)/, '');
  return name === '' || name.split('.').includes('') ? wrong(`it is not a host; ${remedy}`) : { name };
}

/** The escapes of characters that no normal URL has; a `%` at the end may be half an escape. */
function escaped(text: string): string {
  const ascii = text.replace(/[^!-~]+/g, (run) => encodeURIComponent(run.replace(/\p{Surrogate}/gu, '\uFFFD')));
  const half = /%[0-9A-Fa-f]?$/.exec(ascii)?.[0] ?? '';
  return `${normalizeEscapes(ascii.slice(0, ascii.length - half.length))}${half.toUpperCase()}`;
}

function wrong(why: string): RuleName {
  return { wrong: why };
}
