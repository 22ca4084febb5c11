/** TDMRep files: asked for at the host's pace, once a day, and never against its robots.txt. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTask } from '../../../../schemas/blank.ts';
import type { Request } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import type { Robots } from '../../../../services/fetcher/robots/copies.ts';
import { createTdmFiles, noTdmFile, tdmFetch, wantsTdmFile } from '../../../../services/fetcher/robots/tdm-files.ts';
import { parseRobots } from '../../../../topology/robots/rules.ts';
import { createFakeClock } from '../fake-clock.ts';
import { playedRequestPath } from '../played-request-path.ts';

const dayMs = 24 * 3_600_000;
const reserved = Buffer.from(JSON.stringify([{ location: '/art/*', 'tdm-reservation': 1 }]));

it('tdmrep.json is requested if pages are wanted for mining, but not for search alone', () => {
  assert.equal(wantsTdmFile({}), false);
  assert.equal(wantsTdmFile({ uses: ['search'] }), false);
  assert.equal(wantsTdmFile({ uses: ['search', 'ai-input'] }), true);
  assert.equal(wantsTdmFile({ uses: ['ai-train'] }), true);
});

describe('a cached tdmrep.json', () => {
  const open = () => {
    const clock = createFakeClock();
    const files = createTdmFiles(clock);
    const asked: string[] = [];
    const get = (origin: string, body: Uint8Array | null = reserved) =>
      files.get(origin, async () => {
        asked.push(origin);
        return body;
      });
    return { clock, asked, get };
  };

  it('a cached tdmrep.json serves for a day, with the hash of its bytes', async () => {
    const { clock, asked, get } = open();
    const first = await get('https://a.test');
    assert.equal(first?.rules.length, 1);
    // sha256sum of the text above, its first half.
    assert.equal(first?.hash, '7041653075c682cd5263400abbc891cf');
    clock.leap(dayMs - 1);
    assert.equal(await get('https://a.test'), first);
    assert.deepEqual(asked, ['https://a.test']);
    clock.leap(1);
    assert.notEqual(await get('https://a.test'), first);
    assert.deepEqual(asked, ['https://a.test', 'https://a.test']);
  });

  it('a cached tdmrep.json that says nothing counts as nothing', async () => {
    const { get } = open();
    assert.equal(await get('https://a.test', Buffer.from('<html>not found')), noTdmFile);
  });

  it('tdmrep.json is requested again if there was no time for it', async () => {
    const { asked, get } = open();
    assert.equal(await get('https://a.test', null), null);
    assert.equal((await get('https://a.test'))?.rules.length, 1);
    assert.equal(asked.length, 2);
  });

  it('the least recently used tdmrep.json is forgotten first', async () => {
    const { asked, get } = open();
    const { robotsEntriesMax } = (await import('../../../../services/fetcher/fetcher-limits.ts')).fetcherLimits;
    await get('https://first.test');
    await get('https://second.test');
    await get('https://first.test');
    for (let n = 0; n < robotsEntriesMax - 1; n++) await get(`https://h${n}.test`, Buffer.alloc(0));
    asked.length = 0;
    await get('https://first.test');
    assert.deepEqual(asked, []);
    await get('https://second.test');
    assert.deepEqual(asked, ['https://second.test']);
  });
});

describe('the request for tdmrep.json', () => {
  const open = (answer: Partial<HttpResponse>, robotsTxt = '') => {
    const { asker, clock, urls } = playedRequestPath(() => answer);
    const robots: Robots = {
      ...{ status: 'rules', usage: [], token: 'crawlstream', hash: 'abcd', fetchedAtMs: 5, stale: false, detail: '' },
      rules: parseRobots(Buffer.from(robotsTxt), 'crawlstream', 'http://a.test/robots.txt'),
    } as unknown as Robots;
    const requests: Request[] = [];
    const fetch = tdmFetch(
      { ...asker, processorShare: { waitMs: (costMs) => (costMs > 10 ? 5_000 : 0) } },
      { ...blankTask, hostKey: 'a.test', delayMs: 1_000, delayFactor: 0 },
      { requested: (request) => void requests.push(request) },
      'http://a.test',
      robots,
      clock.nowMs() + 60_000,
    );
    return { fetch, urls, requests, clock };
  };

  it('the request for tdmrep.json is recorded beside the pages of its lease, as belonging to none', async () => {
    const { fetch, requests, urls } = open({ body: reserved });
    assert.deepEqual(await fetch(), reserved);
    assert.deepEqual(urls, ['http://a.test/.well-known/tdmrep.json']);
    const [{ kind, outcomeIndex, hop, robotsHash, robotsAtMs, delayMs, status }] = requests as [Request];
    assert.deepEqual(
      { kind, outcomeIndex, hop, robotsHash, robotsAtMs, delayMs, status },
      { kind: 'other', outcomeIndex: -1, hop: 0, robotsHash: 'abcd', robotsAtMs: 5, delayMs: 1_000, status: 200 },
    );
  });

  it('the request for tdmrep.json keeps the delay of robots.txt if that is longer', async () => {
    const { fetch, requests } = open({}, 'User-agent: *\nCrawl-delay: 7\n');
    await fetch();
    assert.equal(requests[0]?.delayMs, 7_000);
  });

  it('the request for tdmrep.json is not made if robots.txt denies it; the host then says nothing', async () => {
    const { fetch, urls } = open({ body: reserved }, 'User-agent: *\nDisallow: /.well-known/\n');
    assert.deepEqual(await fetch(), new Uint8Array());
    assert.deepEqual(urls, []);
  });

  for (const [what, answer] of [
    ['an error page', { status: 404, body: reserved }],
    ['a redirect', { status: 301, body: reserved }],
    ['a list of choices', { status: 300, body: reserved }],
    ['a file that was cut off', { body: reserved, truncated: true }],
    ['a failed connection', { failure: { kind: 'connectionFailed', detail: '' } }],
  ] as const)
    it(`the request for tdmrep.json says nothing after ${what}`, async () => {
      assert.deepEqual(await open(answer).fetch(), new Uint8Array());
    });

  it('a tdmrep.json that costs more processor time than a page delays the host’s next request', async () => {
    const { fetch, urls, clock } = open({ body: Buffer.alloc(9_000_000) });
    await fetch();
    const again = fetch();
    await clock.advance(4_999);
    assert.equal(urls.length, 1);
    await clock.advance(2);
    await again;
    assert.equal(urls.length, 2);
  });

  it('the request for tdmrep.json may be repeated if it was aborted here', async () => {
    assert.equal(await open({ failure: { kind: 'aborted', detail: '' } }).fetch(), null);
  });

  it('the request for tdmrep.json delays the next one as a page does, and as Retry-After asks', async () => {
    const { fetch, urls, clock } = open({ status: 503, headers: ['retry-after', '20'] });
    await fetch();
    const again = fetch();
    await clock.advance(20_000);
    assert.equal(urls.length, 1);
    await clock.advance(2);
    await again;
    assert.equal(urls.length, 2);
  });
});
