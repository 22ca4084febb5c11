/** A fleet's answers about pages that it has not got: not yet, or never, and why. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { placesOfUrls } from '../../../../topology/frontier/ask/crawl-counts.ts';
import { serveSite, unusedPort } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startFleet } from './running-fleet.ts';

const flags = ['--allow-private', '--contact', 'me@example.org', '--host-delay', '20ms'];

test('a call for a page of an unreachable host gives the outcome so far, and the time of the next request', async () => {
  const fleet = await startFleet(join(temporaryFolder(), 'fleet'), flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  const port = await unusedPort();
  for (const [url, cause] of [
    [`http://127.0.0.1:${port}/`, /no connection|unreachable/],
    ['http://no-such-host.invalid/', /host name was not found|unreachable/],
  ] as const) {
    const beganMs = Date.now();
    const { status, body } = await fleet.call('POST', '/v1/scrape', { url, waitSeconds: 3 });
    assert.equal(status, 202, JSON.stringify(body));
    const { message, nextAtMs } = body as { readonly message: string; readonly nextAtMs: number };
    assert.match(message, cause);
    assert.ok(nextAtMs > beganMs, message);
    assert.ok(message.endsWith(`call again after ${new Date(nextAtMs).toISOString()}`), message);
  }
});

test('a call with an unknown field is refused with the names of the fields', async () => {
  const fleet = await startFleet(join(temporaryFolder(), 'fleet'), flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  for (const [path, call, said] of [
    ['/v1/scrape', { url: 'http://127.0.0.1/', wait: 3 }, /^wait: .*there are url, maxAgeSeconds, waitSeconds, uses/],
    ['/v1/crawls', { seed: 'http://127.0.0.1/' }, /seed/],
    [
      '/v1/crawls',
      { seeds: ['http://127.0.0.1/'], output: { html: true } },
      /^output\.html: .*there are markdown, warc/,
    ],
  ] as const) {
    const { status, body } = await fleet.call('POST', path, call);
    assert.equal(status, 400);
    assert.match((body as { readonly message: string }).message, said);
  }
});

test('a crawl that ends without any page says why, for each of its first seeds, also after a restart', async (t) => {
  const site = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private');
    return response.writeHead(404).end();
  });
  const seeds = ['private', 'missing'].map((path) => `http://127.0.0.1:${site.port}/${path}`);
  const data = join(temporaryFolder(), 'fleet');
  const fleet = await startFleet(data, flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  await fleet.create({ seeds, name: 'nothing' });
  await fleet.until('the end', ([crawl]) => crawl!.end !== null);
  const { state, end, noPage, counts } = await fleet.get('nothing');
  assert.deepEqual([state, end, counts.pages], ['ended', 'done', 0]);
  const { denied, failed, admitted } = counts;
  assert.deepEqual({ denied, failed, admitted }, { denied: 1, failed: 1, admitted: 2 });
  assert.equal(
    placesOfUrls.reduce((sum, place) => sum + counts[place], 0),
    admitted,
  );
  const lines = noPage!.split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(': ')[0]),
    seeds,
  );
  assert.match(lines[0]!, /robotsDenied.*Disallow: \/private/);
  assert.match(lines[1]!, /gone 404/);
  fleet.running.child.kill('SIGKILL');
  await fleet.running.ended;
  const again = await startFleet(data, flags);
  after(() => again.running.child.kill('SIGKILL'));
  assert.equal((await again.get('nothing')).noPage, noPage);
});
