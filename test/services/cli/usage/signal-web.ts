/** The sites of lab/web/signals.ts on loopback, and a crawl of them by the command. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { type SignalPage, signalAnswer, signalSite, signalSites, signalToken } from '../../../../lab/web/signals.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

export interface SignalWeb {
  readonly seeds: readonly string[];
  /** By URL. */
  readonly pages: ReadonlyMap<string, SignalPage>;
  /** Paths that were asked for, of all sites. */
  readonly asked: Set<string>;
}

export async function signalWeb(t: TestContext, seed: number, pagesPerSite: number): Promise<SignalWeb> {
  const seeds: string[] = [];
  const pages = new Map<string, SignalPage>();
  const asked = new Set<string>();
  for (let number = 0; number < signalSites; number++) {
    const site = signalSite(seed, number, pagesPerSite);
    const { port } = await serveSite(t, (request, response) => {
      asked.add(`http://127.0.0.1:${port}${request.url}`);
      const answer = signalAnswer(site, request.url!);
      if (answer === undefined) return response.writeHead(404).end();
      for (const [name, value] of answer.headers) response.appendHeader(name, value);
      return response.setHeader('content-type', answer.type).end(answer.body);
    });
    const origin = `http://127.0.0.1:${port}`;
    seeds.push(`${origin}/`);
    for (const page of site.pages) pages.set(`${origin}${page.path}`, page);
  }
  return { seeds, pages, asked };
}

export async function crawlSignals(web: SignalWeb, ...flags: readonly string[]) {
  const data = join(temporaryFolder(), 'data');
  const as = ['--user-agent', `${signalToken}/1`, '--contact', 'me@example.org', '--allow-private', '--delay', '0'];
  const ended = await runCommand(['crawl', ...web.seeds, '--data', data, ...as, ...flags], { patienceMs: 120_000 });
  return { data, ended };
}

export interface ExportedPage {
  readonly url: string;
  readonly usage?: readonly {
    readonly use: string;
    readonly preference: string;
    readonly source: string;
    readonly said: string;
    readonly hash: string;
    readonly fromMs: number;
  }[];
}

export async function exportedPages(data: string, ...flags: readonly string[]): Promise<ExportedPage[]> {
  const ended = await runCommand(['export', 'pages', '--data', data, ...flags]);
  if (ended.code !== 0) throw new Error(ended.stderr);
  return ended.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ExportedPage);
}
