/** A slow fetcher: its lease is over before the report is durable, and the same URLs are granted again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../until.ts';
import { clock, startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

const html = { 'content-type': 'text/html' };

/** Pages that are held until they are let go, and how often each was asked for. */
async function heldSite(t: Parameters<typeof serveSite>[0]) {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  let isOpen = false;
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    asked.push(request.url!);
    const answer = () => response.writeHead(200, html).end('<a href=/next>n</a>');
    if (isOpen) answer();
    else held.push(answer);
  });
  const open = () => {
    isOpen = true;
    for (const answer of held.splice(0)) answer();
  };
  return { site, asked, open };
}

test('a URL that is granted again during its request is not fetched again: one report counts for both leases', async (t) => {
  const { site, asked, open } = await heldSite(t);
  const harness = await startHarness(t);
  const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'));
  const first = await harness.grant({ urls });
  await until(() => asked.length === 1);
  // The frontier's time has passed its deadline.
  const later = { grantedAtMs: first.deadlineMs + 5_001, deadlineMs: first.deadlineMs + 65_001 };
  const second = await harness.grant({ urls, ...later });
  await sleep(300);
  assert.equal(
    await harness.log.committed('t.fetchers', 't.tasks', 0),
    1,
    'it is not taken before the first has reported',
  );
  open();
  const [one, two] = [await harness.ended(first.leaseId), await harness.ended(second.leaseId)];
  assert.deepEqual(
    [one, two].map(({ outcomes }) => outcomes.map(({ index, kind }) => `${index} ${kind}`)),
    [
      ['0 fetched', '1 returned'],
      ['0 fetched', '1 fetched'],
    ],
  );
  assert.deepEqual(asked, ['/1', '/2']);
  assert.deepEqual(
    two.requests.map(({ url }) => new URL(url).pathname).filter((path) => path !== '/robots.txt'),
    ['/2'],
  );
  assert.equal((await harness.pages()).length, 2);
});

test('a report that became durable after its deadline answers leases granted before that, and no later visit', async (t) => {
  const { site, asked, open } = await heldSite(t);
  open();
  const harness = await startHarness(t, { appendMs: 200 });
  const urls = taskUrls(site.url('a.test', '/1'));
  const nowMs = clock.nowMs();
  // It is fetched in time, and published after the frontier has counted the lease as over.
  const first = await harness.grant({ urls, grantedAtMs: nowMs, deadlineMs: nowMs + 60_000 });
  await until(() => asked.length === 1);
  const second = await harness.grant({
    urls,
    grantedAtMs: first.deadlineMs + 1,
    deadlineMs: first.deadlineMs + 60_000,
  });
  const { outcomes } = await harness.ended(second.leaseId);
  assert.deepEqual([outcomes.map(({ kind }) => kind), asked], [['fetched'], ['/1']]);
  const visit = await harness.grant({
    urls,
    grantedAtMs: second.deadlineMs + 60_000,
    deadlineMs: second.deadlineMs + 120_000,
  });
  await harness.ended(visit.leaseId);
  assert.deepEqual(asked, ['/1', '/1']);
});
