/** One turn of a URL that a client may fetch: who takes it, what the client is told, and what its answer becomes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { ErrandOf } from '../../../../services/fetcher/leases/errand.ts';
import type { Road } from '../../../../services/fetcher/pace/paced-request.ts';
import type { Errand, Outside, Taker, Told } from '../../../../services/runtime/leases/outside.ts';

/** The frontier's clock is so far ahead of ours, ms. */
const aheadMs = 100;

const answered: Told = {
  ...{ kind: null, status: 200, failure: null, detail: '', headers: ['etag', '"e"'], startMs: 1_000, endMs: 1_030 },
  ...{
    bytes: 0,
    contentHash: '',
    title: '',
    text: '',
    links: 0,
    body: Buffer.from('abc'),
    final: false,
    follow: false,
  },
};

/** What happened, in its order. */
function played({
  only = false,
  payload = '',
  hasTaker = true,
  told = answered,
}: {
  readonly only?: boolean;
  readonly payload?: string;
  readonly hasTaker?: boolean;
  readonly told?: Told;
}) {
  const happened: unknown[] = [];
  const handed: Errand[] = [];
  const taker: Taker = {
    hand: async (errand) => {
      handed.push(errand);
      return told;
    },
    pass: () => happened.push('passed'),
  };
  const { signal } = new AbortController();
  const outside = {
    only,
    taker: async (untilMs: number, given: AbortSignal) => {
      assert.equal(given, signal);
      happened.push(`waits until ${untilMs}`);
      return hasTaker ? taker : null;
    },
    takerNow: () => {
      happened.push('asks now');
      return hasTaker ? taker : null;
    },
  } as unknown as Outside;
  const road = { clock: { aheadMs }, signal } as unknown as Road;
  const url = {
    ...{ ...blankTaskUrl, url: 'http://a.test/1', depth: 3, hop: 2, attempt: 1, etag: '"v"', lastModified: 'Mon' },
    payload,
  };
  const task = { ...blankTask, hostKey: 'a.test', deadlineMs: 90_000, urls: [blankTaskUrl, url] };
  const options = { index: 1, delayMs: 700, latestStartMs: 60_000, arrived: () => happened.push('arrived') };
  const errand = new ErrandOf(outside, road, task, options);
  const request = () => errand.request({ headers: ['accept', '*/*', 'user-agent', 'bot/1'] } as never);
  return { errand, request, happened, handed };
}

describe('the turn of a URL', () => {
  it('is a client’s that has room now, and else ours', async () => {
    const taken = played({});
    assert.equal(await taken.errand.turn(), 'them');
    assert.deepEqual(taken.happened, ['arrived', 'asks now']);
    assert.equal(await played({ hasTaker: false }).errand.turn(), 'us');
  });

  it('is waited for where clients alone may have it: until its latest start by our own clock', async () => {
    for (const one of [{ only: true }, { payload: 'given along' }]) {
      const taken = played(one);
      assert.equal(await taken.errand.turn(), 'them');
      assert.deepEqual(taken.happened, ['arrived', 'waits until 59900']);
      assert.equal(await played({ ...one, hasTaker: false }).errand.turn(), null, 'nobody came');
    }
  });

  it('is given back once where it comes to nothing, and is no one’s then', async () => {
    const taken = played({});
    await taken.errand.turn();
    taken.errand.pass();
    taken.errand.pass();
    assert.deepEqual(taken.happened, ['arrived', 'asks now', 'passed']);
    played({}).errand.pass();
  });
});

describe('the request of a client', () => {
  it('has what the client needs, in times of our own clock, with two seconds for its answer to reach the frontier', async () => {
    const { errand, request, handed, happened } = played({ payload: 'given along' });
    await errand.turn();
    assert.equal(errand.told, undefined);
    await request();
    assert.deepEqual(handed, [
      {
        ...{
          url: 'http://a.test/1',
          hostKey: 'a.test',
          depth: 3,
          hop: 2,
          attempt: 1,
          etag: '"v"',
          lastModified: 'Mon',
        },
        ...{ payload: 'given along', userAgent: 'bot/1', delayMs: 700, latestStartMs: 59_900, deadlineMs: 87_900 },
      },
    ]);
    assert.equal(errand.told, answered);
    errand.pass();
    assert.equal(happened.includes('passed'), false, 'it has been used');
  });

  it('becomes a response, in times of the frontier’s clock', async () => {
    const responseTo = async (told: Told) => {
      const { errand, request } = played({ told });
      await errand.turn();
      return request();
    };
    const body = Buffer.from('abc');
    const plain = { truncated: false, address: '', connectMs: 0, staleConnection: false, unreached: false };
    assert.deepEqual(await responseTo(answered), {
      ...{ status: 200, headers: ['etag', '"e"'], body, rawBody: body, failure: null, ...plain },
      ...{ startMs: 1_100, endMs: 1_130, firstByteMs: 30 },
    });
    const failure = { kind: 'timeout', detail: 'slow' } as const;
    const empty = Buffer.alloc(0);
    assert.deepEqual(await responseTo({ ...answered, status: 0, failure, headers: [], body: null }), {
      ...{ status: 0, headers: [], body: empty, rawBody: empty, failure, ...plain },
      ...{ startMs: 1_100, endMs: 1_130, firstByteMs: 0 },
    });
  });
});
