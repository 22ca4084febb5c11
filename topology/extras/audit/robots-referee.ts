/**
 * A second robots.txt parser, for audits: the verdict of a file on one URL for one product token (RFC 9309).
 *
 * It shares nothing with the crawl's parser (topology/robots): the whole file is split into records, records into
 * groups, every rule of the group is tried, and patterns are matched with one backtracking position. It is slow and
 * simple; an audit calls it once per URL. Cost of a call: rules × (path + pattern), and rules × path × pattern for a
 * hostile pattern.
 *
 * Beyond the RFC, as Google's parser: common misspellings of `disallow` and `user-agent`, and blanks instead of a
 * missing colon. Sources: RFC 9309 §2.1–2.2; §2.2.3 for `*` and `$`; RFC 3986 §2.3 for escapes.
 */

export interface RefereeRules {
  readonly rules: readonly RefereeRule[];
  /** The largest Crawl-delay of the group that applies to the token; null: there is none. */
  readonly crawlDelayMs: number | null;
}

export interface RefereeRule {
  readonly allow: boolean;
  /** Escapes in one form; `*` matches any text, a final `$` the end of the path. */
  readonly pattern: string;
  /** The rule as the file spells it. */
  readonly line: string;
}

export interface RefereeVerdict {
  readonly allowed: boolean;
  /** The deciding rule; null: no rule matches. */
  readonly by: RefereeRule | null;
}

/** The rules of one user-agent line. Consecutive user-agent lines share their rules. */
interface Group {
  readonly agent: string;
  readonly rules: readonly RefereeRule[];
  readonly delaysMs: readonly number[];
}

const misspelt: Readonly<Record<string, string>> = {
  useragent: 'user-agent',
  'user agent': 'user-agent',
  dissallow: 'disallow',
  dissalow: 'disallow',
  disalow: 'disallow',
  diasllow: 'disallow',
  disallaw: 'disallow',
  crawldelay: 'crawl-delay',
  'crawl delay': 'crawl-delay',
};
/** RFC 9309 §2.5: what must be read; a file cut there may end in half a line. */
const bytesMax = 500 * 1024;

/** `body`: as received. `token`: a product token without version. */
export function readForReferee(body: Uint8Array, token: string): RefereeRules {
  const groups = groupsOf(recordsOf(body));
  const named = groups.filter(({ agent }) => isNamed(agent, token));
  const held = named.length > 0 ? named : groups.filter(({ agent }) => /^\*(?:[\0-\x20]|$)/.test(agent));
  const delaysMs = held.flatMap((group) => group.delaysMs);
  return {
    rules: [...new Set(held.map(({ rules }) => rules))].flat(),
    crawlDelayMs: delaysMs.length === 0 ? null : Math.max(...delaysMs),
  };
}

/** `url`: absolute, as requested. */
export function refereeVerdict({ rules }: RefereeRules, url: string): RefereeVerdict {
  const path = refereePath(url);
  if (path === '/robots.txt' || path.startsWith('/robots.txt?')) return { allowed: true, by: null };
  let by: RefereeRule | null = null;
  for (const rule of rules) {
    const isLonger = by === null || rule.pattern.length > by.pattern.length;
    const wins = isLonger || (rule.pattern.length === by?.pattern.length && rule.allow && !by.allow);
    if (wins && covers(rule.pattern, path)) by = rule;
  }
  return { allowed: by?.allow ?? true, by };
}

/** The path of a URL in the form that patterns are compared with. */
export function refereePath(url: string): string {
  return equalEscapes(octetsOf(pathOf(url)))
    .replaceAll('*', '%2A')
    .replaceAll('$', '%24');
}

/** Keys in lower case and values, line by line. */
export function recordsOf(body: Uint8Array): [key: string, value: string][] {
  let text = '';
  for (const octet of body.subarray(0, bytesMax)) text += String.fromCharCode(octet);
  while (text.startsWith('\xef\xbb\xbf')) text = text.slice(3);
  const lines = text.split(/[\r\n]/);
  if (body.length >= bytesMax) lines.pop();
  return lines.flatMap((line): [string, string][] => {
    const said = trim(line.split('#', 1)[0]!);
    const colon = said.indexOf(':');
    const words = said.split(/[ \t]+/);
    if (colon < 0 && words.length !== 2) return [];
    const key = trim(colon < 0 ? words[0]! : said.slice(0, colon)).toLowerCase();
    return [[misspelt[key] ?? key, trim(colon < 0 ? words[1]! : said.slice(colon + 1))]];
  });
}

/** A rule ends the run of user-agent lines; a Crawl-delay does not, but is for those right above it alone. */
function groupsOf(records: readonly (readonly [string, string])[]): Group[] {
  const groups: Group[] = [];
  let rules: RefereeRule[] = [];
  let delaysMs: number[] = [];
  let [ruled, delayed] = [true, true];
  for (const [key, value] of records) {
    if (key === 'user-agent') {
      if (ruled) rules = [];
      if (ruled || delayed) delaysMs = [];
      [ruled, delayed] = [false, false];
      groups.push({ agent: value, rules, delaysMs });
    } else if (key === 'allow' || key === 'disallow') {
      ruled = true;
      if (value.startsWith('/') || value.startsWith('*')) rules.push(ruleOf(key === 'allow', value));
    } else if (key === 'crawl-delay') {
      delayed = true;
      if (/^(\d{1,12}\.?\d{0,12}|\.\d{1,12})$/.test(value)) delaysMs.push(Math.round(Number(value) * 1000));
    }
  }
  return groups;
}

/** Of several tokens, returns the first with a group in the file, else the first of all. */
export function refereeToken(body: Uint8Array, tokens: readonly string[]): string {
  const groups = tokens.length > 1 ? groupsOf(recordsOf(body)) : [];
  return tokens.find((token) => groups.some(({ agent }) => isNamed(agent, token))) ?? tokens[0] ?? '';
}

/**
 * §2.2.1: a token is letters, `-` and `_`, and any text after it is ignored. If our token has other characters, the
 * first word is compared.
 */
export function isNamed(agent: string, token: string): boolean {
  const word = /^[a-z_-]+$/i.test(token) ? /^[A-Za-z_-]*/.exec(agent)![0] : agent.split(/[\s/]/, 1)[0]!;
  return word.toLowerCase() === token.toLowerCase();
}

function ruleOf(allow: boolean, value: string): RefereeRule {
  const line = `${allow ? 'Allow' : 'Disallow'}: ${value}`;
  return { allow, pattern: refereePattern(value), line };
}

/** Converts a pattern of a file to the form that `covers` takes. */
export function refereePattern(value: string): string {
  const end = value.endsWith('$') ? '$' : '';
  const body = equalEscapes(end === '' ? value : value.slice(0, -1)).replaceAll('$', '%24');
  return body + end;
}

/** True if the pattern matches the path from its start. Walks both, and backtracks to the last `*`. */
export function covers(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const last = anchored ? pattern.length - 1 : pattern.length;
  let [p, at, star, mark] = [0, 0, -1, 0];
  for (;;) {
    if (p === last && (!anchored || at === path.length)) return true;
    if (p < last && pattern[p] === '*') {
      star = p;
      p += 1;
      mark = at;
    } else if (p < last && at < path.length && pattern[p] === path[at]) {
      p += 1;
      at += 1;
    } else if (star >= 0 && mark < path.length) {
      mark += 1;
      at = mark;
      p = star + 1;
    } else return false;
  }
}

/** The part of a URL from the first slash after the authority to the fragment. */
function pathOf(url: string): string {
  const [, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function octetsOf(text: string): string {
  let octets = '';
  for (const octet of new TextEncoder().encode(text)) octets += String.fromCharCode(octet);
  return octets;
}

/** Decodes escapes of unreserved characters, writes all others in capitals, and escapes octets that no URL contains. */
function equalEscapes(octets: string): string {
  return octets
    .replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, (octet) => escapeOf(octet))
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => {
      const char = String.fromCharCode(Number.parseInt(digits, 16));
      return /[A-Za-z0-9._~-]/.test(char) ? char : escapeOf(char);
    });
}

function escapeOf(octet: string): string {
  return `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Removes blanks and controls at both ends. `String.trim` would remove half of a UTF-8 character as a blank. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}
