/**
 * Sites that state in robots.txt, headers and meta elements how pages may be used, and the truth of each page.
 *
 * The truth is written beside each signal by hand, from its standard, and combined here by one rule: a bar wins.
 * Nothing of the product is used, so that it cannot share a parser's mistakes.
 */
import { mix } from './random.ts';

export type SignalUse = 'search' | 'ai-input' | 'ai-train' | 'archive';
export const signalUses: readonly SignalUse[] = ['search', 'ai-input', 'ai-train', 'archive'];

/** `+` allows, `-` bars. */
type Effects = Partial<Record<SignalUse, '+' | '-'>>;
export type Truth = Record<SignalUse, 'allow' | 'deny' | 'unknown'>;

export interface SignalPage {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Markup of the head. */
  readonly head: string;
  readonly truth: Truth;
  /** The same, if the site's tdmrep.json was read. */
  readonly truthWithTdm: Truth;
  /** True if the page asks that its text not be shown. */
  readonly nosnippet: boolean;
  /** Its words: one that only this page has, and one that all pages have. */
  readonly text: string;
}

export interface SignalSite {
  readonly robots: string;
  /** /.well-known/tdmrep.json, which a crawler requests if pages are wanted for models; empty: a 404. */
  readonly tdmrep: string;
  readonly pages: readonly SignalPage[];
}

/** The crawler that the sites know by name. */
export const signalToken = 'signalbot';

const models: Effects = { 'ai-input': '-', 'ai-train': '-' };
const past = 'Sunday, 06-Nov-94 08:49:37 GMT';
const future = '1 Jan 2200 00:00:00 GMT';

interface Signal {
  readonly value: string;
  readonly effects: Effects;
  readonly nosnippet?: true;
}

/** Values that X-Robots-Tag and robots meta elements share. */
const words: readonly Signal[] = [
  { value: 'noarchive', effects: { archive: '-' } },
  { value: 'index, noai, follow', effects: models },
  { value: 'noimageai', effects: models },
  { value: 'NOSNIPPET', effects: { 'ai-input': '-' }, nosnippet: true },
  { value: `unavailable_after: ${past}, noimageai`, effects: { ...models, search: '-', archive: '-' } },
  { value: `unavailable_after: ${future}`, effects: {} },
  { value: 'unavailable_after: tomorrow', effects: {} },
  { value: 'noindex', effects: { search: '-' } },
  { value: 'all, max-snippet:20', effects: {} },
];
const usages: readonly Signal[] = [
  { value: 'train-ai=n', effects: { 'ai-train': '-' } },
  { value: 'train-ai=y, search=n', effects: { 'ai-train': '+', search: '-' } },
  { value: 'search=y;why="be found"', effects: { search: '+' } },
  { value: 'Train-AI=y, search=y', effects: {} },
  { value: 'train-ai="n"', effects: {} },
  { value: 'train-ai=yes', effects: {} },
];
const contentSignals: readonly Signal[] = [
  { value: 'search=yes, ai-train=no', effects: { search: '+', 'ai-train': '-' } },
  { value: 'ai-input=no', effects: { 'ai-input': '-' } },
  { value: 'ai-train=maybe, ai_input=yes', effects: {} },
];
const reservations: readonly Signal[] = [
  { value: '1', effects: models },
  { value: '0', effects: { 'ai-input': '+', 'ai-train': '+' } },
  { value: 'true', effects: {} },
];

const headers: readonly (readonly [name: string, signals: readonly Signal[]])[] = [
  ['X-Robots-Tag', words],
  ['X-Robots-Tag', words.map(({ value }) => ({ value: `otherbot: ${value}`, effects: {} }))],
  ['X-Robots-Tag', words.map((one) => ({ ...one, value: `otherbot: nofollow, ${signalToken}: ${one.value}` }))],
  ['Content-Usage', usages],
  ['Content-Signal', contentSignals],
  ['TDM-Reservation', reservations],
];
const metas: readonly (readonly [attributes: string, signals: readonly Signal[]])[] = [
  ['name="robots"', words],
  [`name="${signalToken}"`, words],
  ['name="otherbot"', words.map(({ value }) => ({ value, effects: {} }))],
  ['name="content-usage"', usages],
  ['http-equiv="Content-Usage"', usages],
  ['name="tdm-reservation"', reservations],
];

/** A robots.txt folder and its rule; `''`: all paths that no other line covers. */
const folders: Readonly<Record<string, Effects>> = {
  '': {},
  barred: { 'ai-train': '-' },
  open: { 'ai-train': '+', search: '+' },
  both: { 'ai-train': '-' },
  signal: { search: '-' },
};

/** Site 0 has no preference in robots.txt; 1 addresses all crawlers, 2 the crawler by name. */
const tdmrep = JSON.stringify([
  { location: '/open/p1*', 'tdm-reservation': 0 },
  { location: '/open/', 'tdm-reservation': 1, 'tdm-policy': 'https://licences.example/policy.json' },
  { location: '/signal/', 'tdm-reservation': 'reserved' },
]);

/** Written by hand, for the rules above. */
function tdmEffects(site: number, folder: string, n: number): Effects {
  if (site !== 0 || folder !== 'open') return {};
  return `${n}`.startsWith('1') ? { 'ai-input': '+', 'ai-train': '+' } : models;
}

const robots: readonly { readonly text: string; readonly everywhere: Effects; readonly folders: boolean }[] = [
  { text: 'User-agent: *\nDisallow: /never/\n', everywhere: {}, folders: false },
  {
    text: `License: https://licences.example/terms.xml
User-agent: *
Content-Signal: ai-input=no
Content-Signal: /signal/ search=no
Content-Usage: /barred/ train-ai=n
Content-Usage: /open/ train-ai=y, search=y
Content-Usage: /both/ train-ai=y
Content-Usage: /both/ train-ai=n
Content-Usage: /both/* Train-AI=y
`,
    everywhere: { 'ai-input': '-' },
    folders: true,
  },
  {
    text: `User-agent: ${signalToken}
Content-Usage: search=n
Disallow: /never/

User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ search=y
`,
    everywhere: { search: '-' },
    folders: false,
  },
];

export const signalSites = robots.length;

export function signalSite(seed: number, site: number, pages: number): SignalSite {
  const { text, everywhere, folders: speaks } = robots[site]!;
  const names = Object.keys(folders);
  return {
    robots: text,
    tdmrep: site === 0 ? tdmrep : '',
    pages: Array.from({ length: pages }, (_, n): SignalPage => {
      const draw = (what: number, most: number) => mix(seed, site, n, what) % most;
      const folder = names[draw(0, names.length)]!;
      const header = draw(1, 2) === 0 ? undefined : headers[draw(2, headers.length)]!;
      const meta = draw(3, 2) === 0 ? undefined : metas[draw(4, metas.length)]!;
      const byHeader = header?.[1][draw(5, header[1].length)];
      const byMeta = meta?.[1][draw(6, meta[1].length)];
      const said = speaks ? folders[folder]! : {};
      // A line about the folder replaces the line about everything, field by field.
      const general = speaks && folder === 'signal' ? {} : everywhere;
      const effects = [general, said, byHeader?.effects ?? {}, byMeta?.effects ?? {}];
      return {
        path: `/${folder === '' ? '' : `${folder}/`}p${n}`,
        headers: header === undefined || byHeader === undefined ? [] : [[header[0], byHeader.value]],
        head: meta === undefined || byMeta === undefined ? '' : `<meta ${meta[0]} content='${byMeta.value}'>`,
        truth: truthOf(effects),
        truthWithTdm: truthOf([...effects, tdmEffects(site, folder, n)]),
        nosnippet: [byHeader, byMeta].some((signal) => signal?.nosnippet === true),
        text: `pagewords own${site}x${n}`,
      };
    }),
  };
}

function truthOf(effects: readonly Effects[]): Truth {
  const of = (use: SignalUse) => {
    const said = effects.map((one) => one[use]);
    return said.includes('-') ? 'deny' : said.includes('+') ? 'allow' : 'unknown';
  };
  return { search: of('search'), 'ai-input': of('ai-input'), 'ai-train': of('ai-train'), archive: of('archive') };
}

/** Undefined: a 404. The page at `/` links to all others. */
export function signalAnswer(
  site: SignalSite,
  path: string,
): { readonly headers: SignalPage['headers']; readonly type: string; readonly body: string } | undefined {
  if (path === '/robots.txt') return { headers: [], type: 'text/plain', body: site.robots };
  if (path === '/.well-known/tdmrep.json' && site.tdmrep !== '')
    return { headers: [], type: 'application/json', body: site.tdmrep };
  if (path === '/') {
    const links = site.pages.map((page) => `<a href="${page.path}">x</a>`).join('\n');
    return { headers: [], type: 'text/html', body: `<title>start</title>${links}` };
  }
  const page = site.pages.find((one) => one.path === path);
  if (page === undefined) return undefined;
  const body = `<!doctype html><html><head><title>page</title>${page.head}</head><body><p>${page.text}</p></body></html>`;
  return { headers: page.headers, type: 'text/html; charset=utf-8', body };
}
