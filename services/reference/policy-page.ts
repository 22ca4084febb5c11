/**
 * docs/policy.md: every field of a policy. Names, types and bounds come from the schema that checks it, defaults from
 * the policy of a new crawl, meanings from the declarations of the fields, and from the comments of the interfaces that
 * the code uses.
 */
import { z } from 'zod';
import { extrasSchema, withInitialExtras } from '../../topology/policy/extra-fields.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { declaredFields } from '../../topology/policy/policy-fields.ts';
import { defaultRecrawl } from '../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../topology/policy/score/score-config.ts';
import { sitemapsEveryMs } from '../../topology/policy/sitemaps.ts';
import { defaultTraps } from '../../topology/policy/traps/trap-config.ts';
import { policySchema } from '../../topology/policy/validate.ts';
import { installedFields } from '../application/extra-fields.ts';
import { interfaceComments } from './interface-comments.ts';

const head = `# Policy

- A policy decides which links are fetched, in which order, with which delays, and when pages are fetched again.
- It is a YAML or JSON file. You can change it before a crawl, between runs, or while the crawl runs.
- Each change is a new version. \`policy show\` prints the current policy, \`policy set\` changes it.
- \`overlays\` change fields for part of the web: hosts, domains, URL prefixes or patterns.
- \`npm run generate\` writes this page from the schema.

\`\`\`sh
crawlstream policy show --data crawl-data/example.org > policy.json
crawlstream policy set policy.json --data crawl-data/example.org
\`\`\`

- \`policy set\` takes a whole policy, or only the fields that change. For example, a file may contain the one line \`delayMs: 2000\`.
- Flags of \`crawl\` (\`--max-pages\`, \`--delay\`, \`--exclude\`, …) set the most common fields.
- Names that end in \`Ms\` are in milliseconds.
- "Absent" says what happens if a field is left out. A field without "Absent" is in every policy.

## When a change applies

A change of a delay, of \`sitemaps.everyMs\` or of \`recrawl\` applies at once, also to hosts and pages that wait:

- **Longer delay.** A host that waits is contacted a new delay after the change at the earliest, so each such change stops hosts for one new delay. For
  another host, the new delay counts from the end of its last wait. A host that was only found waits as well. URLs on lease have the new delay at
  once, and so has a host if its fetcher is killed.
- **Shorter delay.** The wait ends at the latest a new delay after the change, for the time of the last contact is not stored. URLs on lease keep the
  old delay. If domains share a delay, the shorter delay of a single host counts from its next contact.
- **Pauses.** A Crawl-delay, Retry-After, back-off and the multiple of the last fetch's time still hold. A host that is in trouble, or asked for a pause,
  keeps its whole wait.
- **\`sitemaps.everyMs\`.** The next read of a host's sitemaps counts from the last one. Reads that would be overdue are spread over one new interval.
- **\`recrawl\`.** Pages that wait are due by the new policy, counted from their last visit; those that are overdue by it are due at once. An adaptive schedule keeps
  the interval that it has learnt, within the new bounds. A page that the policy never visits again, as when \`recrawl\` is switched off, is visited once more
  when it was due. Pages that were fetched before \`recrawl\` was switched on, or under a rule that ended their visits, are not visited again.
  - A page that waits for a retry keeps its due time. So does one that waits after its last retry, or after a third expired lease, unless it was refetched
    before its interval had passed.
  - \`Cache-Control: max-age\` still delays a page, at most by the new \`freshMsMax\`. If the page's interval has passed already, its due time stays as it is.
  - These waits after errors, and those by \`max-age\`, hold only once. They end with an earlier change of \`recrawl\` since the page's visit, and if the former
    policy had \`fetchesPerDay\` or \`demote\`. Then the page is due by its interval.
  - A dump that is loaded, and a change of the number of partitions, forget moves in progress. Pages that were not moved yet keep their due times until
    their next visit.

While waits of hosts move, the partition decides nothing else. Due times of pages move beside other work.

## Settings for part of the web

\`overlays\` set fields for part of the web, as Heritrix's sheets do. An overlay matches hosts, domains, SURT prefixes or URL patterns.

- Some fields apply to whole hosts only: delay, leases, window. Others apply to any set of URLs: depth, filters, scope, front queue, recrawl.
- If several overlays set a field, the last one that matches decides. \`explain\` names it.
- An operator's command for a host overrides all overlays.

\`crawl --overlays FILE\` and \`policy set FILE\` take the same file:

\`\`\`yaml
overlays:
  - name: gentle
    match: { domains: [example.org], surts: ['(net,example,www,)/'] }
    set: { delayMs: 5000, window: { fromHour: 22, toHour: 6, utcOffsetMinutes: 60 } }
  - name: documentation first
    match: { patterns: ['/docs?/'] }
    set: { frontQueue: 0, maxDepth: null }
\`\`\`

## robots.txt

Crawlstream obeys robots.txt as RFC 9309 says. The only exception is an overlay with \`robotsNotAsked\`, for your own sites or legal
deposit. It must state the reason, and \`audit\`, \`stats\` and \`explain\` show it.

The crawl follows at most five redirects of a robots.txt:

- anywhere on the same host;
- to any \`…/robots.txt\` of the same registrable domain;
- to \`/robots.txt\` of any other host, in scope or not, with that host's delay and if the address guard allows it. The other host
  gets no further request unless it is in scope.

Any other redirect to another host (such as \`/search?q=…\`), to a blocked host or to a private address counts as no answer. The
crawl then fetches nothing from the site until it can read a robots.txt.

`;

/** The file and name of the interface for the object at each path. */
const interfaces: Readonly<Record<string, readonly [file: string, ...names: string[]]>> = {
  '': ['policy/policy.ts', 'PolicyConfig'],
  normalize: ['url/normalize-config.ts', 'NormalizeConfig'],
  filters: ['url/filters.ts', 'FilterConfig'],
  'filters.lists[]': ['url/url-lists.ts', 'ListReference', 'ListName'],
  scope: ['url/scope.ts', 'ScopeConfig'],
  'windows[]': ['policy/windows.ts', 'CrawlWindow'],
  'parallel[]': ['policy/parallel.ts', 'ParallelRule'],
  'metadata[]': ['policy/metadata-rules.ts', 'MetadataRule'],
  score: ['policy/score/score-config.ts', 'WeightedScore'],
  'score.factors': ['policy/score/score-config.ts', 'Factors'],
  'score.scales': ['policy/score/score-config.ts', 'Scales'],
  'score.pageKinds[]': ['policy/score/score-config.ts', 'PageKindRule'],
  budget: ['policy/budget.ts', 'BudgetConfig'],
  traps: ['policy/traps/trap-config.ts', 'TrapConfig'],
  recrawl: ['policy/recrawl/recrawl-config.ts', 'RecrawlConfig'],
  'recrawl.feeds': ['policy/recrawl/recrawl-config.ts', 'FeedBounds'],
  'recrawl.hubs': ['policy/recrawl/recrawl-config.ts', 'HubConfig'],
  'recrawl.demote': ['policy/recrawl/demote.ts', 'DemoteConfig'],
  'recrawl.rules[]': ['policy/recrawl/recrawl-config.ts', 'RecrawlRule'],
  'score.lists[]': ['url/url-lists.ts', 'ListName'],
  sitemaps: ['policy/sitemaps.ts', 'SitemapsConfig'],
  'sitemaps.rules[]': ['policy/sitemaps.ts', 'SitemapRule'],
  equivalences: ['policy/equivalences.ts', 'EquivalencesConfig'],
  trace: ['trace/tracing.ts', 'TraceConfig'],
  pay: ['policy/pay-config.ts', 'PayPolicy'],
  'pay.assets[]': ['policy/pay-config.ts', 'PayAsset'],
  'overlays[]': ['policy/overlay-config.ts', 'OverlayConfig'],
  'overlays[].match': ['policy/overlay-config.ts', 'OverlayMatch'],
  'overlays[].set': ['policy/overlay-config.ts', 'OverlaySettings'],
  'overlays[].set.recrawl': ['policy/recrawl/recrawl-config.ts', 'RecrawlRule'],
};

/** Sentences of declared fields: in the policy, in overlays, and of extras. */
const declared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': Object.fromEntries(declaredFields.map(([name, { about }]) => [name, about])),
  extras: Object.fromEntries(Object.keys(installedFields).map((name) => [name, `Fields of the extra \`${name}\`.`])),
  ...Object.fromEntries(
    Object.entries(installedFields).map(([name, own]) => [
      `extras.${name}`,
      Object.fromEntries(Object.entries(own).map(([field, { about }]) => [field, about])),
    ]),
  ),
  'overlays[].set': Object.fromEntries(
    declaredFields.map(([name, { overlay }]) => [
      name,
      `As the policy's \`${name}\`.${overlay === 'hosts' ? ' For whole hosts.' : ''}`,
    ]),
  ),
};

/** Its fields are those of another section. */
const describedElsewhere = 'overlays[].set.filters';

/** The defaults of \`crawl\` for parts that are switched on without details. */
const defaults: unknown = {
  ...withInitialExtras(defaultPolicy(), installedFields),
  traps: defaultTraps,
  recrawl: defaultRecrawl,
  score: defaultScore,
  sitemaps: { everyMs: sitemapsEveryMs, rules: [] },
};

interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly otherwise: string;
  readonly means: string;
}

export function policyPage(): string {
  const rows: Row[] = [];
  const shapeOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  const { properties } = shapeOf(policySchema);
  walk({ properties: { ...properties, extras: shapeOf(extrasSchema(installedFields)) } }, '', defaults, rows);
  const sections = new Map<string, Row[]>();
  for (const row of rows) {
    const [section] = row.path.split(/[.[]/);
    const isSection = rows.some(({ path }) => path.startsWith(`${section}.`) || path.startsWith(`${section}[].set.`));
    const name = isSection ? section! : '';
    sections.set(name, [...(sections.get(name) ?? []), row]);
  }
  const text = [...sections].map(([name, list]) => `${name === '' ? '## Fields' : `## ${name}`}\n\n${table(list)}`);
  return `${head}${text.join('\n')}`;
}

function walk(shape: Shape, path: string, otherwise: unknown, rows: Row[]): void {
  const [file, ...names] = interfaces[path] ?? [''];
  const comments: Record<string, string> = { ...declared[path] };
  for (const name of names) Object.assign(comments, interfaceComments(`topology/${file}`, name));
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    // A score by weights; the other variant, by cash, has a tax in addition.
    const inner = field.oneOf?.[0] ?? (interfaces[at] === undefined ? undefined : objectOf(field)) ?? field;
    const value = (otherwise as Record<string, unknown> | undefined)?.[name];
    rows.push({
      path: at,
      type: typeText(field),
      otherwise: inner.properties ? '' : shown(value),
      means: meaningOf(at, comments[name]),
    });
    if (at !== describedElsewhere) walk(inner, at, value, rows);
    if (inner.items !== undefined) walk(inner.items, `${at}[]`, undefined, rows);
  }
}

/** Returns the object of a field that is either an object or a word. */
function objectOf({ anyOf }: Shape): Shape | undefined {
  return anyOf?.find(({ properties }) => properties !== undefined);
}

function typeText(field: Shape): string {
  const { type = '', enum: choices, items, anyOf, oneOf, const: only } = field;
  if (only !== undefined) return `\`${only}\``;
  if (choices !== undefined) return choices.map((one) => `\`${one}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (oneOf !== undefined) return 'object';
  if (type === 'array') return `list of ${items === undefined ? 'values' : typeText(items)}`;
  if (type !== 'integer' && type !== 'number') return type;
  const { minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER } = field;
  const least = exclusiveMinimum === undefined ? (minimum ?? '') : `above ${exclusiveMinimum}`;
  const name = type === 'integer' ? 'whole number' : 'number';
  return maximum >= 1e15
    ? `${name} ${exclusiveMinimum === undefined ? 'from ' : ''}${least}`
    : `${name}, ${least} to ${maximum}`;
}

function meaningOf(path: string, comment: string | undefined): string {
  if (comment !== undefined) return comment;
  throw new Error(`policy.${path} has no comment in its interface: say there what it means`);
}

const shownCharsMax = 80;

function shown(value: unknown): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return `\`${text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text}\``;
}

function table(rows: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const lines = rows.map(
    ({ path, type, otherwise, means }) => `| \`${path}\` | ${cell(type)} | ${cell(otherwise)} | ${cell(means)} |`,
  );
  return `| field | type | default | means |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
}
