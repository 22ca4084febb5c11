/** The time between starts on one address, and the Crawl-delay that is waited out, as the policy says. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Site {
  readonly seed: string;
  readonly startsMs: number[];
}

/** A host by its port, with a few pages; all of them are on one address. */
async function startSite(robots = 'User-agent: *\nAllow: /\n'): Promise<Site> {
  const startsMs: number[] = [];
  const server = createServer(({ url = '' }, response) => {
    startsMs.push(performance.now());
    if (url === '/robots.txt') return response.setHeader('content-type', 'text/plain').end(robots);
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${url}</title>${[1, 2, 3].map((n) => `<a href="/${n}">x</a>`).join(' ')}`);
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seed: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, startsMs };
}

async function crawl(sites: readonly Site[], ...args: string[]): Promise<Record<string, unknown>> {
  const reach = ['--allow-private', '--contact', 'me@example.org', '--json'];
  return lastJson(await runCommand(['crawl', ...sites.map(({ seed }) => seed), ...reach, ...args]));
}

const nearest = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.min(...sorted.slice(1).map((ms, at) => ms - sorted[at]!));
};

test('requests to hosts on one address keep the policy’s interval, and none with 0', async () => {
  const sites = [await startSite(), await startSite(), await startSite()];
  const data = join(temporaryFolder(), 'data');
  const result = await crawl(sites, '--delay', '20ms', '--address-delay', '120ms', '--data', data, '--workers', '1');
  assert.equal(result['pages'], 12);
  // A server on a busy machine reads a request some time after it was sent, and two of them at once: all of them together took
  // as long as the gaps between them, but for a few. The audit has each one's start.
  const startsMs = sites.flatMap((site) => site.startsMs).toSorted((a, b) => a - b);
  const spanMs = startsMs.at(-1)! - startsMs[0]!;
  assert.ok(spanMs > (startsMs.length - 4) * 120, `${startsMs.length} requests within ${spanMs} ms`);
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);

  const alone = [await startSite(), await startSite(), await startSite()];
  const free = join(temporaryFolder(), 'data');
  await crawl(alone, '--delay', '200ms', '--address-delay', '0', '--data', free);
  assert.ok(nearest(alone.flatMap(({ startsMs }) => startsMs)) < 60, 'no limit of the address');
});

test('a Crawl-delay above the policy’s cap skips the host; without a cap the crawl resumes it', async () => {
  const site = await startSite('User-agent: *\nCrawl-delay: 1.5\n');
  const data = ['--data', join(temporaryFolder(), 'data')];
  const left = await crawl([site], '--delay', '10ms', '--max-crawl-delay', '1s', ...data);
  assert.deepEqual([left['pages'], left['deferred']], [0, 1]);
  const waited = await crawl([site], '--delay', '10ms', '--max-crawl-delay', 'none', ...data);
  assert.deepEqual([waited['pages'], waited['deferred']], [4, 0]);
  assert.ok(nearest(site.startsMs.slice(-4)) > 1_400);
});
