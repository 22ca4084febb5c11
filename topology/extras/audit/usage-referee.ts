/**
 * A second reader of sites' usage preferences, for audits.
 *
 * It shares nothing with the readers that crawls use (topology/usage). It matches values against whole patterns, where
 * the readers scan them, and gathers all statements about a use before it decides. Sources:
 * draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab-07, contentsignals.org, W3C TDMRep (10 May 2024), and for
 * X-Robots-Tag the search engines' documentation.
 */
import { covers, isNamed, recordsOf, refereePath, refereePattern } from './robots-referee.ts';

/** -1 bars, 1 allows, 0: said in words that cannot be read. */
interface Word {
  readonly use: string;
  readonly vote: -1 | 0 | 1;
  /** ms since the Unix epoch. */
  readonly fromMs: number;
}

interface UsageLine {
  readonly key: string;
  /** Empty: every path. */
  readonly pattern: string;
  readonly words: readonly Word[];
  readonly line: string;
}

/** The lines of one robots.txt that speak of use to one token. */
export type RefereeUsage = readonly UsageLine[];

/** A header, meta element or rule of a file, from a page's record. */
export interface SaidAtFetch {
  /** `header content-usage`, `meta robots`, `tdmrep.json`. */
  readonly source: string;
  readonly said: string;
}

export interface UsageFinding {
  readonly preference: 'allow' | 'deny' | 'unknown';
  /** The deciding statement; empty: none. */
  readonly by: string;
}

/** Lines beyond this number can bar, for every path, and cannot allow. */
const linesMax = 1_000;

export function readUsageForReferee(body: Uint8Array, token: string): RefereeUsage {
  const groups: { agent: string; lines: { key: string; value: string }[] }[] = [];
  let lines: { key: string; value: string }[] = [];
  let open = false;
  for (const [key, value] of recordsOf(body)) {
    if (key === 'user-agent') {
      if (!open) lines = [];
      open = true;
      groups.push({ agent: value, lines });
    } else if (key === 'content-usage' || key === 'content-signal' || key === 'content-signals') {
      lines.push({ key: key === 'content-usage' ? key : 'content-signal', value });
      open = false;
    } else if (key === 'allow' || key === 'disallow') open = false;
  }
  const named = groups.filter(({ agent }) => isNamed(agent, token));
  const held = named.length > 0 ? named : groups.filter(({ agent }) => /^\*(?:[\0-\x20]|$)/.test(agent));
  return [...new Set(held.map((group) => group.lines))].flat().flatMap(({ key, value }, at) => lineOf(key, value, at));
}

function lineOf(key: string, value: string, at: number): UsageLine[] {
  const [, path = '', rest = value] = /^(\/[^ \t]*|\*[^ \t=,]*)[ \t]+(.*)$/s.exec(value) ?? [];
  const words = key === 'content-usage' ? usageWords(rest) : signalWords(rest);
  if (words === null) return [];
  const line = `${key === 'content-usage' ? 'Content-Usage' : 'Content-Signal'}: ${value}`;
  if (at < linesMax) return [{ key, pattern: path === '' ? '' : refereePattern(path), words, line }];
  return [{ key: 'beyond', pattern: '', words: words.filter(({ vote }) => vote < 0), line }];
}

/** Null: not a dictionary (RFC 9651). */
function usageWords(text: string): Word[] | null {
  const key = '[a-z*][a-z0-9_.*-]*';
  const token = "[A-Za-z*][!#$%&'*+\\-.^_`|~0-9A-Za-z:/]*";
  const other =
    '(?:@?-?\\d{1,15}(?:\\.\\d{1,3})?|"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"|:[A-Za-z0-9+/=]*:|\\?[01]|%"(?:[ !#$&-~]|%[0-9a-f]{2})*")';
  const item = `(?:${other}|${token})`;
  const parameters = `(?:; *${key}(?:=${item})?)*`;
  const list = `\\( *(?:${item}${parameters}(?: +${item}${parameters})* *)?\\)`;
  const member = new RegExp(`^(${key})(?:=(?:(${token})|${other}|${list}))?${parameters}$`);
  const trimmed = withoutBlanks(text, ' ');
  if (trimmed === '') return [];
  const votes = new Map<string, string[]>();
  for (const part of splitMembers(trimmed)) {
    const [whole, name = '', word = ''] = member.exec(part) ?? [];
    if (whole === undefined) return null;
    votes.set(name, [...(votes.get(name) ?? []), word]);
  }
  return [...votes].flatMap(([name, given]) => {
    const vote = given.includes('n') ? -1 : given.at(-1) === 'y' ? 1 : 0;
    const now: Readonly<Record<string, string[]>> = {
      'train-ai': ['ai-train'],
      'ai-train': ['ai-train'],
      'ai-input': ['ai-input'],
      search: ['search'],
    };
    const before: Readonly<Record<string, string[]>> = {
      bots: ['search', 'ai-input', 'ai-train'],
      tdm: ['ai-input', 'ai-train'],
      ai: ['ai-input', 'ai-train'],
      genai: ['ai-train'],
      'train-genai': ['ai-train'],
      'ai-output': ['ai-input'],
    };
    const about = now[name] ?? (vote < 0 ? before[name] : undefined) ?? [];
    return about.map((use): Word => ({ use, vote, fromMs: 0 }));
  });
}

/** Without these at both ends. By hand: a pattern would be quadratic on runs of them in the middle. */
function withoutBlanks(text: string, blanks: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blanks.includes(text[start]!)) start += 1;
  while (end > start && blanks.includes(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

/** Commas within strings and lists part nothing. */
function splitMembers(text: string): string[] {
  const parts: string[] = [];
  let [part, quoted, depth] = ['', false, 0];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted && char === '\\') {
      part += char + (text[++i] ?? '');
      continue;
    }
    if (char === '"') quoted = !quoted;
    if (!quoted && char === '(') depth += 1;
    if (!quoted && char === ')') depth -= 1;
    if (char === ',' && !quoted && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part].map((one, at) => {
    const end = withoutBlanks(`x${one}`, ' \t').slice(1);
    return at === 0 ? end : withoutBlanks(end, ' \t');
  });
}

function signalWords(text: string): Word[] {
  const votes = new Map<string, (-1 | 0 | 1)[]>();
  for (const [, use = '', answer = ''] of text
    .toLowerCase()
    .matchAll(/(?:^|,)\s*(search|ai-input|ai-train)\s*=([^,]*)/g)) {
    const said = answer.trim();
    const vote = said === 'no' || said === 'n' ? -1 : said === 'yes' || said === 'y' ? 1 : 0;
    votes.set(use, [...(votes.get(use) ?? []), vote]);
  }
  return [...votes].map(([use, given]) => {
    const vote = given.includes(-1) ? -1 : given.includes(1) ? 1 : 0;
    return { use, vote, fromMs: 0 };
  });
}

const tagBars: Readonly<Record<string, readonly string[]>> = {
  noindex: ['search'],
  none: ['search'],
  noarchive: ['archive'],
  nocache: ['archive'],
  nosnippet: ['ai-input'],
  noai: ['ai-input', 'ai-train'],
  noimageai: ['ai-input', 'ai-train'],
};

/** `tokens`: in lower case; null: the whole value applies to every crawler. */
function tagWords(text: string, tokens: readonly string[] | null): Word[] {
  const words: Word[] = [];
  const parts = text.split(',');
  let mine = true;
  for (let at = 0; at < parts.length; at++) {
    let part = parts[at]!.trim();
    for (let names = 0; names < 8; names++) {
      const [, name = '', rest = ''] = /^([a-z][\w.-]*|\*)\s*:(.*)$/is.exec(part) ?? [];
      if (name === '' || /^(unavailable_after|max-.*)$/i.test(name)) break;
      if (tokens !== null)
        mine = name === '*' || name.toLowerCase() === 'robots' || tokens.includes(name.toLowerCase());
      part = rest.trim();
    }
    if (!mine) continue;
    if (/^max-snippet\s*:\s*0$/i.test(part)) words.push({ use: 'ai-input', vote: -1, fromMs: 0 });
    const dated = /^unavailable_after\s*:(.*)$/is.exec(part)?.[1];
    if (dated !== undefined) {
      const fromMs = dateOf(dated) ?? dateOf(`${dated},${parts[at + 1] ?? ''}`);
      if (fromMs !== null) for (const use of ['search', 'archive']) words.push({ use, vote: -1, fromMs });
    } else if (!part.includes(':'))
      for (const word of part.toLowerCase().split(/[\s;]+/))
        for (const use of Object.hasOwn(tagBars, word) ? tagBars[word]! : []) words.push({ use, vote: -1, fromMs: 0 });
  }
  return words;
}

/** Null: not a documented form. */
function dateOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed.length > 60) return null;
  const shape =
    /^(?:\d{4}-\d\d-\d\d|(?:[a-z]{3,9},?\s+)?\d{1,2}[\s-]+[a-z]{3,9}[\s-]+(?:\d{4}|\d{2}))(?:[T\s]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*([+-]\d{2}:?\d{2}|[a-z]{1,5})?$/i;
  const zone = shape.exec(trimmed);
  if (zone === null) return null;
  const spaced = trimmed
    .replace(/^(\d{4}-\d\d-\d\d)[T\s]+/i, '$1T')
    .replace(/(\d)[\s-]+([a-z]{3})[a-z]*[\s-]+(\d)/i, '$1 $2 $3');
  const named =
    zone[1] !== undefined || /^\d{4}-\d\d-\d\d$/.test(trimmed)
      ? spaced
      : `${spaced}${spaced.includes('T') ? 'Z' : ' UTC'}`;
  const atMs = Date.parse(named);
  return Number.isNaN(atMs) || !isDay(spaced) ? null : atMs;
}

/** `Date.parse` takes the 31st of February for a day in March. */
function isDay(spaced: string): boolean {
  const iso = /^(\d{4})-(\d\d)-(\d\d)/.exec(spaced);
  const [, date = '', name = '', short = ''] = /(\d{1,2}) ([a-z]{3}) (\d{4}|\d{2})/i.exec(spaced) ?? [];
  const [year, month, day] =
    iso !== null
      ? [Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])]
      : [Number(short), new Date(`1 ${name} 2000 UTC`).getUTCMonth(), Number(date)];
  // Of two digits each century has the same leap years here: 1900 is not meant (RFC 2822 §4.3).
  return day >= 1 && day <= new Date(Date.UTC(year < 100 ? year + 2000 : year, month + 1, 0)).getUTCDate();
}

function tdmWords(value: string): Word[] {
  const vote = value.trim() === '1' ? -1 : value.trim() === '0' ? 1 : 0;
  return ['ai-input', 'ai-train'].map((use) => ({ use, vote, fromMs: 0 }));
}

function wordsOf({ source, said }: SaidAtFetch, tokens: readonly string[]): readonly Word[] {
  if (source === 'tdmrep.json') return tdmWords(/ tdm-reservation: ([01])$/.exec(said)?.[1] ?? '');
  const [kind = '', name = ''] = source.split(' ', 2);
  if (name === 'content-usage') return usageWords(said) ?? [];
  if (name === 'content-signal') return signalWords(said);
  if (name === 'tdm-reservation') return tdmWords(said);
  return name === 'tdm-policy' ? [] : tagWords(said, kind === 'header' ? tokens : null);
}

/** The preference for a use when a page was fetched. `tokens`: the names that headers may address, in lower case. */
export function refereeUse(
  use: string,
  atMs: number,
  url: string,
  robots: RefereeUsage,
  said: readonly SaidAtFetch[],
  tokens: readonly string[],
): UsageFinding {
  const votes: { readonly vote: number; readonly by: string }[] = [];
  const path = robots.length === 0 ? '' : refereePath(url);
  for (const key of ['content-usage', 'content-signal', 'beyond']) {
    const lines = robots
      .filter((line) => line.key === key && (line.pattern === '' || covers(line.pattern, path)))
      // An unreadable statement about the use does not count: the next one decides.
      .filter(({ words }) => !words.some((word) => word.use === use && word.vote === 0));
    const longest = Math.max(...lines.map(({ pattern }) => pattern.length));
    for (const { pattern, words, line } of lines)
      if (pattern.length === longest)
        for (const word of words) if (word.use === use) votes.push({ vote: word.vote, by: `robots.txt: ${line}` });
  }
  for (const one of said)
    for (const { use: about, vote, fromMs } of wordsOf(one, tokens))
      if (about === use && fromMs <= atMs) votes.push({ vote, by: `${one.source}: ${one.said}` });
  const bar = votes.find(({ vote }) => vote < 0);
  if (bar !== undefined) return { preference: 'deny', by: bar.by };
  const leave = votes.find(({ vote }) => vote > 0);
  return leave === undefined ? { preference: 'unknown', by: '' } : { preference: 'allow', by: leave.by };
}
