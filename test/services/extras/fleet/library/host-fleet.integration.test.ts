/** A fleet in a program: `import { hostFleet } from 'crawlstream/fleet'`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetSettings, hostFleet } from '../../../../../services/extras/fleet/library/index.ts';
import { serveSite } from '../../../fetcher/loopback.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

test('a program hosts a fleet, crawls with it, and finds the crawl again after a restart', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? '<a href="/one">one</a><a href="/two">two</a>' : '<p>a page</p>');
  });
  const settings: FleetSettings = {
    ...{ data: temporaryFolder(), http: 0, hostDelayMs: 0, allowPrivate: true },
    resolve: [`*.test:${site.port}:127.0.0.1`],
  };
  const fleet = await hostFleet(settings);
  await assert.rejects(fleet.create({ seeds: [] }), { code: 'INVALID_ARGUMENT', message: /^seeds: / });
  const { name } = await fleet.create({ seeds: [site.url('a.test', '/')], policy: { delayMs: 0, delayFactor: 0 } });
  const { state, end, counts } = await fleet.ended(name);
  assert.deepEqual({ state, end, pages: counts.pages }, { state: 'ended', end: 'done', pages: 3 });
  const answer = await fetch(`${fleet.url}/v1/crawls/${name}`);
  assert.equal(((await answer.json()) as { readonly state: string }).state, 'ended');
  await assert.rejects(fleet.ended('none'), { code: 'NO_MATCH', message: /no crawl none/ });
  await fleet.stop();

  const again = await hostFleet({ ...settings, http: 0 });
  assert.deepEqual(
    again.list().map((crawl) => [crawl.name, crawl.state]),
    [[name, 'ended']],
  );
  await again.stop();
});

test('a setting that cannot be used is named, with what to give', async () => {
  const given = (settings: object) => hostFleet(settings as FleetSettings);
  await assert.rejects(given({}), { code: 'INVALID_ARGUMENT', message: /data is missing: give the folder/ });
  await assert.rejects(given({ data: 'x', inflight: 3 }), { message: /no option inflight; did you mean inFlight\?/ });
  await assert.rejects(given({ data: 'x', http: '8090' }), { message: /http: give a port/ });
});
