/**
 * Near-duplicates: which copies with edited words are found, which other pages are mistaken for copies, and the cost of
 * a page.
 *
 *   npm run bench -- near-duplicates [--json]
 *
 * Copies are made of pages of 60 to 1,800 words that are alone on their host, and of pages of generated sites with
 * templates (lab/pages/labelled-pages.ts). The other pages have no title to distinguish them: unrelated pages, pages
 * with a given share of template words, and pages that share a part of their text with others of their kind. Each row
 * runs three times, on different texts: minimum, median, maximum.
 */
import type { NearMethod } from '../../../services/extras/dedup/likeness.ts';
import { createLikeness } from '../../../services/extras/dedup/likeness.ts';
import { noCommonSlots } from '../../../topology/extras/dedup/common-slots.ts';
import { type Minhash, slots } from '../../../topology/extras/dedup/minhash.ts';
import { judgedDedup } from '../../pages/judged-dedup.ts';
import { type LabelledPage, labelledPages } from '../../pages/labelled-pages.ts';
import { editedText, proseOf } from '../../pages/prose.ts';
import { numbers } from '../../web/random.ts';

const methods: readonly NearMethod[] = ['simhash', 'minhash'];
const rates = [0.02, 0.05, 0.1, 0.2];
const seeds = [11, 12, 13];
const pages = 160;

interface Row {
  readonly what: string;
  readonly figure: 'recall' | 'false';
  readonly pagesOf: (seed: number) => LabelledPage[];
}

export async function run(args: readonly string[]): Promise<void> {
  const rows: Row[] = [
    ...rates.map((rate) => recallRow(`own host, ${100 * rate} % edited`, (seed) => aloneCopied(rate, seed))),
    ...rates.map((rate) => recallRow(`sites, ${100 * rate} % edited`, (seed) => labelledPages(60, rate, seed))),
    falseRow('unrelated pages', (seed) => Array.from({ length: pages }, (_, n) => alone(n, seed))),
    ...[0.5, 0.8, 0.95].map((share) => falseRow(`template ${100 * share} %`, (seed) => ofTemplate(share, seed))),
    ...[0.3, 0.5, 0.7].map((share) => falseRow(`of a kind, ${100 * share} %`, (seed) => ofKind(share, seed))),
  ];
  const foundBy: Record<string, Record<string, readonly number[]>> = {};
  process.stdout.write(`${''.padEnd(30)}${methods.map((method) => method.padStart(24)).join('')}\n`);
  for (const { what, figure, pagesOf } of rows) {
    foundBy[what] = {};
    for (const method of methods) {
      const found: number[] = [];
      for (const seed of seeds) {
        const all = pagesOf(seed);
        const judged = await judgedDedup(method, all);
        found.push(figure === 'recall' ? judged.recall : judged.wrong.length / all.length);
      }
      foundBy[what][method] = found.sort((a, b) => a - b);
    }
    const cells = methods.map((method) =>
      foundBy[what]![method]!.map((one) => one.toFixed(3))
        .join(' ')
        .padStart(24),
    );
    process.stdout.write(`${`${figure} ${what}`.padEnd(30)}${cells.join('')}\n`);
  }
  const costs: Record<string, Cost> = {};
  for (const method of methods) {
    costs[method] = await costOf(method);
    const { memoryBytes, rowBytes, usAlone, usOfSite } = costs[method];
    process.stdout.write(
      `${method}: ${memoryBytes} B of memory and ${rowBytes} B on disk a document; ${usAlone} µs of CPU a page of 600 words, ` +
        `${usOfSite} µs among ${siteSize} of one site with a template\n`,
    );
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ reported: foundBy, costs })}\n`);
}

const recallRow = (what: string, pagesOf: Row['pagesOf']): Row => ({ what, figure: 'recall', pagesOf });
const falseRow = (what: string, pagesOf: Row['pagesOf']): Row => ({ what, figure: 'false', pagesOf });

const wordsOf = (n: number) => [60, 120, 300, 600, 1_200, 1_800][n % 6]!;

function labelled(url: string, text: string, family = url): LabelledPage {
  return { url, title: '', text, family, isCopy: url !== family };
}

function alone(n: number, seed: number): LabelledPage {
  return labelled(`http://h${n}.test/`, proseOf(seed * 100_003 + n, wordsOf(n)));
}

function aloneCopied(rate: number, seed: number): LabelledPage[] {
  const next = numbers(seed);
  return Array.from({ length: pages / 2 }, (_, n) => alone(n, seed)).flatMap((page, n) => [
    page,
    labelled(`http://copy${n}.test/`, editedText(page.text, rate, next), page.url),
  ]);
}

/** One site with pages of 400 words. */
function ofTemplate(share: number, seed: number, count = pages): LabelledPage[] {
  const template = proseOf(seed, Math.round(400 * share));
  return Array.from({ length: count }, (_, n) =>
    labelled(`http://site.test/${n}`, `${template} ${proseOf(seed * 100_003 + n, Math.round(400 * (1 - share)))}`),
  );
}

/** One site with pages of 300 words and a menu, of eight kinds. */
function ofKind(share: number, seed: number): LabelledPage[] {
  const menu = proseOf(seed, 150);
  return Array.from({ length: pages }, (_, n) => {
    const kind = proseOf(seed * 1_003 + (n % 8), Math.round(300 * share));
    const own = proseOf(seed * 100_003 + n, Math.round(300 * (1 - share)));
    return labelled(`http://site.test/${n}`, `${menu} ${kind} ${own}`);
  });
}

interface Cost {
  readonly memoryBytes: number;
  readonly rowBytes: number;
  readonly usAlone: number;
  readonly usOfSite: number;
}

const siteSize = 1_000;
/** A power of two and a half: columns that grow by doubling are then three quarters full, which is the average. */
const documents = 24_576;

async function costOf(method: NearMethod): Promise<Cost> {
  const likeness = createLikeness(method, 7);
  const next = numbers(1);
  const random = (): Minhash => Uint16Array.from({ length: slots }, () => next());
  const signatureOf = (made: Minhash) => (method === 'minhash' ? made : { hi: next() >>> 0, lo: next() >>> 0 });
  const signature = signatureOf(random());
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  // Memory that is allocated and dropped at once would count as kept.
  const made = random();
  for (let n = 0; n < documents; n++) {
    for (let slot = 0; slot < slots; slot++) made[slot] = next();
    likeness.add(signatureOf(made), n);
  }
  globalThis.gc?.();
  const memoryBytes = Math.round((process.memoryUsage().arrayBuffers - before) / documents);
  likeness.near(signature, noCommonSlots());
  const texts = Array.from({ length: siteSize }, (_, n) => labelled(`http://h${n}.test/`, proseOf(n, 600)));
  return {
    memoryBytes,
    rowBytes: 2 * slots + 16 + likeness.bytes(signature).length,
    usAlone: await usOf(method, texts),
    usOfSite: await usOf(method, ofTemplate(0.7, 3, siteSize)),
  };
}

async function usOf(method: NearMethod, texts: readonly LabelledPage[]): Promise<number> {
  await judgedDedup(method, texts.slice(0, 200));
  const before = process.cpuUsage();
  await judgedDedup(method, texts);
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / texts.length);
}
