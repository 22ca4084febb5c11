/**
 * Content dedup: the cost of a signature, and which copies with edited words each method finds.
 *
 *   npm run bench -- dedup [--json]
 *
 * The pages are generated sites with templates (lab/pages/labelled-pages.ts). Recall: the share of edited copies that
 * are reported. Precision: the share of reported duplicates that are copies of the page they are reported for. Costs
 * are CPU time of this process, on text as long as that of the synthetic web's pages.
 */
import { hash } from 'node:crypto';
import { openDedup } from '../../../services/extras/dedup/dedup.ts';
import { createLikeness, type NearMethod } from '../../../services/extras/dedup/likeness.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { minhash } from '../../../topology/extras/dedup/minhash.ts';
import { judgedDedup } from '../../pages/judged-dedup.ts';
import { labelledPages } from '../../pages/labelled-pages.ts';
import { pageRecord } from '../../pages/page-record.ts';
import { proseOf } from '../../pages/prose.ts';
import { received } from '../../pages/records.ts';
import { numbers } from '../../web/random.ts';

const methods: readonly NearMethod[] = ['simhash', 'minhash'];
const rates = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
/** Words: 7 kB of text, as in a page of 12.6 kB of HTML. */
const words = 1_800;
const pages = 200;
/** Pages of each generated site. */
const sitePages = 100;

export async function run(args: readonly string[]): Promise<void> {
  const texts = Array.from({ length: pages }, (_, n) => proseOf(n, words));
  const chars = Math.round(texts.reduce((sum, text) => sum + text.length, 0) / pages);
  const signatures = Object.fromEntries(
    methods.map((method) => [method, Math.round(signaturesPerSecond(method, texts))]),
  );
  const found: Record<string, { recall: number; precision: number }[]> = {};
  for (const method of methods) {
    found[method] = [];
    for (const rate of rates) {
      const { recall, precision } = await judgedDedup(method, labelledPages(sitePages, rate, 3));
      found[method].push({ recall, precision });
    }
  }
  const whole = Math.round(await pagesPerSecond(texts));
  process.stdout.write(`text of ${chars} characters, signatures per second of CPU: ${JSON.stringify(signatures)}\n`);
  process.stdout.write(
    `whole dedup, state in memory, a tenth of the pages new versions or copies: ${whole} pages/s of CPU\n\n`,
  );
  process.stdout.write('words edited   simhash recall  precision   minhash recall  precision\n');
  for (const [i, rate] of rates.entries()) {
    const cells = methods.flatMap((method) => {
      const { recall, precision } = found[method]![i]!;
      return [recall.toFixed(3).padStart(14), precision.toFixed(3).padStart(11)];
    });
    process.stdout.write(`${`${(100 * rate).toFixed(1)} %`.padStart(12)}${cells.join('')}\n`);
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ chars, signatures, whole, rates, found })}\n`);
}

function signaturesPerSecond(method: NearMethod, texts: readonly string[]): number {
  const { signature } = createLikeness(method, 7);
  const make = (text: string) => signature(text, minhash(text, 7)!);
  for (const text of texts) make(text);
  const before = process.cpuUsage();
  const rounds = 20;
  for (let round = 0; round < rounds; round++) for (const text of texts) make(text);
  return (rounds * texts.length) / cpuSeconds(before);
}

async function pagesPerSecond(texts: readonly string[]): Promise<number> {
  const next = numbers(5);
  const dedup = await openDedup({
    log: { append: async () => [] },
    codec: await openCodec(createMemoryRegistry(), 'c'),
    clock: new SystemClock(),
    store: createMemoryStore(),
    crawl: 'c',
    partitions: 1,
    keyMode: 'host',
    method: 'simhash',
    seed: 7,
  });
  const count = 4_000;
  const inputs = Array.from({ length: count }, (_, n) => {
    const text = n % 10 === 0 ? texts[next() % texts.length]! : proseOf(10_000 + n, words);
    const page = pageRecord({
      url: `http://a.test/${n}`,
      text,
      fetchedAtMs: n,
      contentHash: hash('sha256', text, 'hex'),
    });
    return received('pages', page);
  });
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 128) {
    await dedup.handle(inputs.slice(at, at + 128) as never, { positions: [] });
  }
  return count / cpuSeconds(before);
}

function cpuSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
