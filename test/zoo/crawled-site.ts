/** A site crawled by the real command, and what came of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastJson, runCommand, startCommand } from '../../lab/process/command.ts';
import type { Page } from '../../schemas/types.ts';
import { searchFolder } from '../../services/extras/index/sqlite-index.ts';

export interface CrawledSite {
  readonly pages: readonly Page[];
  readonly counts: Readonly<Record<string, number>>;
  readonly end: string;
  /** Of the command's report: the traps. */
  readonly traps: readonly string[];
  readonly seconds: number;
  /** Of titles that one page alone has, how many were asked for, and found first. */
  readonly titles: { readonly asked: number; readonly first: number; readonly missed: readonly string[] };
  /** What `explain` says of a URL that was not fetched. */
  why(url: string): Promise<string>;
  remove(): void;
}

/** `secondsMax`: it is told to stop then, and says so. */
export async function crawlSite(url: string, secondsMax: number): Promise<CrawledSite> {
  const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-crawl-'));
  const data = join(own, 'data');
  const startedAtMs = Date.now();
  const flags = ['--allow-private', '--contact', 'zoo@example.org', '--delay', '0', '--with', 'index,dedup'];
  const patienceMs = (secondsMax + 60) * 1_000;
  const crawl = startCommand(['crawl', url, ...flags, '--data', data, '--json'], { patienceMs });
  const stopping = setTimeout(() => crawl.child.kill('SIGINT'), secondsMax * 1_000);
  const ended = await crawl.ended;
  clearTimeout(stopping);
  const seconds = (Date.now() - startedAtMs) / 1_000;
  const counts = lastJson(ended) as Record<string, number>;
  const printed = await runCommand(['pages', '--data', data], { patienceMs });
  const pages = printed.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Page]));
  const traps = [...ended.stderr.matchAll(/^ +([\d,]+ URLs? of .*)$/gm)].map(([, line]) => line!);
  return {
    ...{ pages, counts, end: String(counts['end']), traps, seconds },
    titles: askTitles(pages, join(data, 'index')),
    why: async (one) => {
      const reported = lastJson(await runCommand(['explain', one, '--data', data, '--json'])) as unknown as Explained;
      if (!reported.filter.admitted) return `refused by ${reported.filter.rule}`;
      if (reported.robots?.rule) return `robots.txt, line ${reported.robots.line}`;
      if (reported.queue === null) return 'no link to it was found';
      return reported.trap === null
        ? `${reported.queue.in} ${reported.queue.status ?? ''}`.trim()
        : `trap ${reported.trap.pattern}`;
    },
    remove: () => rmSync(own, { recursive: true, force: true }),
  };
}

interface Explained {
  readonly filter: { readonly admitted: boolean; readonly rule?: string };
  readonly robots: { readonly rule: string | null; readonly line: number } | null;
  readonly queue: { readonly in: string; readonly status?: string } | null;
  readonly trap: { readonly pattern: string } | null;
}

const titlesMax = 50;

function askTitles(pages: readonly Page[], index: string): CrawledSite['titles'] {
  const byTitle = new Map<string, Page[]>();
  for (const page of pages) {
    if (page.noindex || !/html/.test(page.contentType) || !/[\p{L}\p{N}]{2}/u.test(page.title)) continue;
    const typed = typedOf(page.title);
    byTitle.set(typed, [...(byTitle.get(typed) ?? []), page]);
  }
  const own = [...byTitle.values()].filter(({ length }) => length === 1).map(([page]) => page!);
  const step = Math.max(1, own.length / titlesMax);
  const missed: string[] = [];
  let asked = 0;
  for (let at = 0; at < own.length; at += step) {
    const { url, title } = own[Math.floor(at)]!;
    asked += 1;
    if (searchFolder(index, typedOf(title), { limit: 1 })[0]?.url !== url) missed.push(title);
  }
  return { asked, first: asked - missed.length, missed };
}

/** As a person types a title: signs between words would be operators. */
function typedOf(title: string): string {
  return title.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();
}
