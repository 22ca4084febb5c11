/** The crawler: one crawl of all answers, in a data folder, by the command that users have. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endMark, type Kind, startMark } from './draft.ts';
import type { Odd } from './draw.ts';
import type { Reader } from './peers.ts';
import type { Reading } from './reading.ts';
import type { OddHosts } from './serve.ts';

interface PageLine {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly outlinks: readonly string[];
}

/** The request for an answer, and the requests to its host that prove that the answer was read. */
const seeds: Readonly<Record<Kind, readonly string[]>> = {
  page: [],
  robots: ['/private', '/public'],
  sitemap: ['/'],
  redirect: [],
};

export function crawlReader(
  program: string,
  answers: readonly Odd[],
  normal: (links: readonly string[]) => string[],
): Reader {
  return async (hosts, numbers) => {
    const folder = mkdtempSync(join(tmpdir(), 'differential-'));
    const crawl = async (name: string, isPages: boolean) => {
      const seeds = numbers.flatMap((n) => seedsOf(hosts, answers[n]!.kind, n, isPages));
      if (seeds.length === 0) return '';
      const [seedFile, data, rules] = [`${name}.txt`, name, 'rules.json'].map((file) => join(folder, file));
      writeFileSync(seedFile!, `${seeds.join('\n')}\n`);
      writeFileSync(rules!, JSON.stringify([{ hosts: ['*'], session: 'cookies' }]));
      const flags = [...crawlFlags, '--requests', rules!, ...(isPages ? pageFlags : fileFlags)];
      await run(program, ['crawl', seedFile!, '--data', data!, ...flags]);
      return run(program, ['pages', '--data', data!, '--json']);
    };
    hosts.forgetRequests();
    await crawl('files', false);
    const lines = (await crawl('pages', true)).split('\n').filter((line) => line !== '');
    const all = lines.map((line) => JSON.parse(line) as PageLine);
    const pages = new Map(all.flatMap((page) => [page.url, new URL(page.url).origin].map((key) => [key, page])));
    rmSync(folder, { recursive: true, force: true });
    // A redirect has a separate host, with one page at most.
    const pageOf = (n: number) => pages.get(answers[n]!.kind === 'redirect' ? hosts.originOf(n) : hosts.urlOf(n));
    return new Map(numbers.map((n) => [n, readingOf(answers[n]!.kind, n, hosts, pageOf(n), normal)]));
  };
}

const crawlFlags = [
  ...['--delay', '0', '--retries', 'none', '--allow-private', '--no-traps', '--scope', 'host'],
  ...['--contact', 'differential@example.org'],
];
const pageFlags = ['--max-depth', '0', '--outlinks'];
/** A sitemap has the depth of a link, and its URLs are one step further. */
const fileFlags = ['--max-depth', '2', '--sitemap', '/sitemap.xml'];

function seedsOf(hosts: OddHosts, kind: Kind, n: number, isPages: boolean): readonly string[] {
  if (isPages) return kind === 'page' || kind === 'redirect' ? [hosts.urlOf(n)] : [];
  return seeds[kind].map((path) => hosts.originOf(n) + path);
}

function readingOf(
  kind: Kind,
  n: number,
  hosts: OddHosts,
  page: PageLine | undefined,
  normal: (links: readonly string[]) => string[],
): Reading {
  if (kind === 'sitemap') return { got: hosts.wasAsked(n, '/listed') ? 'whole' : 'nothing' };
  if (kind === 'robots') {
    if (hosts.wasAsked(n, '/private')) return { got: 'open' };
    return { got: hosts.wasAsked(n, '/public') ? 'whole' : 'nothing' };
  }
  const words = `${page?.title} ${page?.text}`;
  if (page === undefined || !words.includes(startMark)) return { got: 'nothing' };
  return { got: words.includes(endMark) ? 'whole' : 'part', title: page.title, links: normal(page.outlinks) };
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], { maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      if (error === null || stdout !== '') resolve(stdout);
      else reject(new Error(`crawlstream ${args[0]}: ${stderr}`));
    });
  });
}
