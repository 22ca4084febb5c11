/** A site that answers every URL with an error is left alone, longer and longer; a broken page slows no site that is well. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const pages = 100;
const links = Array.from({ length: pages }, (_, n) => `<a href="/${n}">${n}</a>`).join(' ');

type Answer = (url: string, request: number, response: ServerResponse) => unknown;

/** A site whose front page leads to all of its pages, and a crawl of it. `asked`: the site's own records. */
async function crawled(t: TestContext, retries: string, answer: Answer) {
  const asked: { readonly url: string; readonly atMs: number }[] = [];
  const site = await serveSite(t, ({ url = '/' }: IncomingMessage, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    asked.push({ url, atMs: performance.now() });
    response.setHeader('content-type', 'text/html');
    if (url === '/') return response.end(`<title>all</title>${links}`);
    return answer(url, asked.length, response);
  });
  const data = join(temporaryFolder(), 'data');
  const flags = ['--allow-private', '--delay', '20ms', '--address-delay', '0', '--retries', retries];
  const crawl = startCommand(['crawl', `http://127.0.0.1:${site.port}/`, '--data', data, ...flags]);
  t.after(() => crawl.child.kill('SIGKILL'));
  return { asked, crawl, site, data };
}

test('a site that begins to answer 500, 502, 504 and 520 to everything is backed off like one that answers 503', {
  timeout: 600_000,
}, async (t) => {
  const statuses = [500, 502, 504, 520];
  // A host waits a second after it has failed, twice as long each time, within a fifth.
  const { asked, site, data } = await crawled(t, '1s,4s,8s', (url, request, response) =>
    request <= 40 ? response.end(`<title>${url}</title>`) : response.writeHead(statuses[request % 4]!).end('no'),
  );
  await until(() => asked.length >= 46, 60_000);
  // Each of these may meet a probe that is under way.
  const explained = () => runCommand(['explain', `http://127.0.0.1:${site.port}/`, '--data', data]);
  const why = /back-off number \d+: its server failed for several URLs in a row \(serverErrorsMax\)/;
  await until(async () => why.test((await explained()).stdout));
  // The first 40 were answered; the next three make it the site's own trouble.
  const gaps = asked.slice(42).map(({ atMs }, n, all) => (n === 0 ? 0 : atMs - all[n - 1]!.atMs));
  const leastMs = [0, 800, 1_600, 3_200];
  leastMs.forEach((ms, n) => {
    assert.ok(gaps[n]! >= ms - 5, `a gap of ${gaps[n]} ms, at least ${ms}: ${gaps.map(Math.round).join(', ')}`);
  });
  const probed = asked.slice(40, 46).map(({ url }) => url);
  assert.equal(new Set(probed).size, 6, `each probe is of another URL: ${probed.join(' ')}`);
});

test('one page that always answers 500 does not slow the rest of its site', { timeout: 600_000 }, async (t) => {
  const { asked, crawl } = await crawled(t, '1s,1s,1s', (url, _, response) =>
    url === '/20' ? response.writeHead(500).end('broken') : response.end(`<title>${url}</title>`),
  );
  const { code } = await crawl.ended;
  assert.equal(code, 0);
  const failed = asked.flatMap(({ url }, at) => (url === '/20' ? [at] : []));
  assert.equal(failed.length, 4, 'tried once, and three times more');
  assert.equal(asked.length, 1 + pages + 3);
  // A host that is backed off is asked for one URL at a time, and for none before a second is over.
  assert.ok(failed[1]! - failed[0]! > 20, `${failed[1]! - failed[0]! - 1} pages between the failure and its retry`);
});
