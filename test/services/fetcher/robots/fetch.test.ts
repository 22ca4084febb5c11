/** Requests for robots.txt and the targets of its redirects, each on its own host. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankRobotsHop, blankTask } from '../../../../schemas/blank.ts';
import type { Request, Task } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { robotsFetch } from '../../../../services/fetcher/robots/fetch.ts';
import { createSharedRobots } from '../../../../services/fetcher/robots/shared-robots.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { playedRequestPath } from '../played-request-path.ts';

const url = 'http://a.test/robots.txt';

function open(
  answer: Partial<HttpResponse> | (() => Partial<HttpResponse>) = {},
  isBlocked?: (hostKey: string) => boolean,
  robotsHops: Task['robotsHops'] = [],
) {
  const { asker, requestPath, clock, urls } = playedRequestPath(
    () => (typeof answer === 'function' ? answer() : answer),
    isBlocked,
  );
  const shared = createSharedRobots(clock);
  const requests: Request[] = [];
  const leases: unknown[] = [];
  const task = {
    ...blankTask,
    robotsHops,
    hostKey: 'a.test',
    partition: 3,
    delayMs: 1_000,
    deadlineMs: clock.nowMs() + 90_000,
  };
  const reporter = {
    requested: (request: Request) => void requests.push(request),
    requestLease: (hostKey: string, hop: unknown) => void leases.push([hostKey, hop]),
  };
  const costs: number[] = [];
  const waitMs = (costMs: number) => {
    costs.push(costMs);
    return costMs > 10 ? 5_000 : 0;
  };
  const runner = {
    ...asker,
    processorShare: { waitMs },
    reader: { links: { normalize: compileNormalizer() } },
    totalTimeoutMs: 30_000,
  };
  const fetch = robotsFetch({ ...runner, sharedRobots: shared }, task, reporter as never);
  return { fetch, requestPath, clock, urls, shared, requests, leases, costs };
}
const answered = (text: string) => ({
  ...{ status: 200, location: null, body: Buffer.from(text), retryAfterMs: 0, blockedAddress: false, detail: '' },
});

describe('robots.txt of the lease’s own host', () => {
  it('robots.txt is whole if a 206 says that its part is everything', async () => {
    for (const [range, status] of [
      ['bytes 0-12/13', 200],
      ['bytes 0-12/14', 206],
      ['bytes 1-12/13', 206],
      ['bytes 0-12/*', 206],
    ] as const) {
      const { fetch } = open({ status: 206, headers: ['content-range', range], body: Buffer.from('User-agent: *') });
      const answer = await fetch([url]);
      assert.ok(answer !== null && answer !== 'elsewhere');
      assert.equal(answer.status, status, range);
    }
  });

  it('robots.txt is requested again at the host’s pace after 408 or 425, at most three times', async () => {
    for (const [answers, status] of [
      [[408, 200], 200],
      [[425, 408, 404], 404],
      [[408, 408, 408, 200], 408],
    ] as const) {
      let given = 0;
      const { fetch, requests, clock } = open(() => ({
        status: answers[given++]!,
        body: Buffer.from('User-agent: *'),
      }));
      const asked = fetch([url]);
      await clock.advance(10_000);
      const answer = await asked;
      assert.ok(answer !== null && answer !== 'elsewhere');
      assert.equal(answer.status, status);
      const gaps = requests.slice(1).map(({ startMs }, at) => startMs - requests[at]!.startMs);
      assert.ok(
        gaps.every((gapMs) => gapMs >= 1_000),
        gaps.join(' '),
      );
      assert.equal(requests.length, Math.min(3, answers.length));
    }
  });

  it('robots.txt is no answer if its content coding ends early, since the missing part may forbid what arrived', async () => {
    const { fetch } = open({ status: 200, body: Buffer.from('User-agent: *\n'), truncated: true, broken: true });
    const answer = await fetch([url]);
    assert.ok(answer !== null && answer !== 'elsewhere');
    assert.deepEqual([answer.status, answer.detail], [0, 'only a part of it came']);
  });

  it('robots.txt is requested at the host’s pace and recorded as robots.txt', async () => {
    const { fetch, urls, requests, clock } = open({ status: 404, headers: ['location', '/x'] });
    const answer = await fetch([url]);
    assert.ok(answer !== null && answer !== 'elsewhere');
    assert.deepEqual([answer.status, answer.location, answer.blockedAddress], [404, '/x', false]);
    const again = fetch(['http://a.test/first', 'http://a.test./second']);
    await clock.advance(999);
    assert.equal(urls.length, 1);
    await clock.advance(2);
    await again;
    assert.deepEqual(urls, [url, 'http://a.test./second']);
    assert.deepEqual(
      requests.map(({ kind, outcomeIndex, hop, delayMs, robotsAtMs }) => ({
        kind,
        outcomeIndex,
        hop,
        delayMs,
        robotsAtMs,
      })),
      [0, 1].map((hop) => ({ kind: 'robots', outcomeIndex: -1, hop, delayMs: 1_000, robotsAtMs: 0 })),
    );
  });

  it('robots.txt is followed by a pause if the host asks for one', async () => {
    const { fetch, urls, clock } = open({ status: 503, headers: ['retry-after', '20'] });
    const answer = await fetch([url]);
    assert.equal(answer !== null && answer !== 'elsewhere' && answer.retryAfterMs, 20_000);
    const again = fetch(['http://a.test/other']);
    await clock.advance(20_000);
    assert.equal(urls.length, 1);
    await clock.advance(2);
    await again;
    assert.equal(urls.length, 2);
  });

  it('robots.txt is read after a success', async () => {
    const wants: boolean[] = [];
    const { fetch, requestPath } = open();
    const { request } = requestPath.http;
    (requestPath.http as { request: typeof request }).request = (asked) => {
      wants.push(...[199, 200, 299, 300].map((status) => asked.wants!(status, [])));
      return request(asked);
    };
    await fetch([url]);
    assert.deepEqual(wants, [false, true, true, false]);
  });

  it('robots.txt that costs more processor time than a page delays the host’s next request', async () => {
    const { fetch, urls, clock, costs } = open({ body: Buffer.alloc(9_000_000) });
    await fetch([url]);
    assert.equal(costs.length, 1);
    const again = fetch(['http://a.test/other']);
    await clock.advance(4_999);
    assert.equal(urls.length, 1);
    await clock.advance(2);
    await again;
    assert.equal(urls.length, 2);
  });

  it('robots.txt is not requested without time for it, and stays unknown', async () => {
    const { fetch, urls, requestPath, clock } = open();
    requestPath.pacer.hold('a.test', clock.nowMs() + 60_001);
    const answer = fetch([url]);
    await clock.advance(60_001);
    assert.equal(await answer, null);
    assert.deepEqual(urls, []);
  });

  it('robots.txt that cannot be fetched says why', async () => {
    for (const kind of ['connectionFailed', 'blockedAddress'] as const) {
      const answer = await open({ status: 200, failure: { kind, detail: 'why' } }).fetch([url]);
      assert.ok(answer !== null && answer !== 'elsewhere');
      assert.deepEqual([answer.status, answer.detail, answer.blockedAddress], [0, 'why', kind === 'blockedAddress']);
    }
    assert.equal(await open({ failure: { kind: 'aborted', detail: '' } }).fetch([url]), null, 'we gave up ourselves');
  });
});

describe('a robots.txt that another crawl fetched', () => {
  it('a robots.txt that another crawl fetched is used at once, without a permit', async () => {
    const { fetch, urls, requestPath, clock, shared } = open();
    shared.put(url, answered('known'));
    requestPath.pacer.hold('a.test', clock.nowMs() + 10_000);
    const answer = await Promise.race([fetch([url]), new Promise<null>((resolve) => setImmediate(resolve, null))]);
    assert.equal(answer !== null && answer !== 'elsewhere' && `${answer.body}`, 'known');
    assert.deepEqual(urls, []);
  });

  it('a robots.txt that another crawl fetched while this one waited is used', async () => {
    const { fetch, urls, requestPath, clock, shared } = open();
    requestPath.pacer.hold('a.test', clock.nowMs() + 10_000);
    const asked = fetch([url]);
    await clock.advance(5_000);
    shared.put(url, answered('meanwhile'));
    await clock.advance(5_000);
    const answer = await asked;
    assert.equal(answer !== null && answer !== 'elsewhere' && `${answer.body}`, 'meanwhile');
    assert.deepEqual(urls, []);
  });

  it('a robots.txt that this crawl fetched is offered to the others', async () => {
    const { fetch, shared } = open({ body: Buffer.from('told') });
    await fetch([url]);
    assert.equal(`${shared.get(url)?.body}`, 'told');
  });
});

describe('a robots.txt that moved to another host', () => {
  const moved = [url, 'http://b.test/robots.txt'];

  it('a robots.txt that moved to another host is requested in a lease of that host, with the redirects so far', async () => {
    const { fetch, urls, leases } = open();
    assert.equal(await fetch(moved), 'elsewhere');
    assert.deepEqual(leases, [['b.test', { url: moved[1], asked: [url], partition: 3 }]]);
    assert.deepEqual(urls, []);
    const hops = [8, 9].map((partition) => ({ ...blankRobotsHop, partition }));
    const further = open({}, undefined, hops);
    await further.fetch(moved);
    assert.deepEqual(
      further.leases,
      [['b.test', { url: moved[1], asked: [url], partition: 8 }]],
      'of whoever asked first',
    );
  });

  it('a robots.txt that moved to a blocked host is not requested', async () => {
    const { fetch, leases } = open({}, (hostKey) => hostKey === 'b.test');
    const answer = await fetch(moved);
    assert.ok(answer !== null && answer !== 'elsewhere');
    assert.deepEqual(
      [answer.status, answer.detail, answer.location, answer.retryAfterMs, answer.blockedAddress, answer.body.length],
      [0, 'it moved to b.test, which is blocked', null, 0, false, 0],
    );
    assert.deepEqual(leases, []);
  });
});
