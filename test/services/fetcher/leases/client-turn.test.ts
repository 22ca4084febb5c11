/** One turn of a URL that a client may fetch: who takes it, what the client is told, and what its answer becomes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { ClientTurn } from '../../../../services/fetcher/leases/client-turn.ts';
import type { RequestPath } from '../../../../services/fetcher/pace/paced-request.ts';
import type { ClientUrl, LeaseClient, Outside, Report } from '../../../../services/runtime/leases/outside.ts';

/** The frontier's clock is so far ahead of ours, ms. */
const aheadMs = 100;

const answered: Report = {
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
  hasClient = true,
  clientResult: reported = answered,
}: {
  readonly only?: boolean;
  readonly payload?: string;
  readonly hasClient?: boolean;
  readonly clientResult?: Report;
}) {
  const happened: unknown[] = [];
  const handed: ClientUrl[] = [];
  const client: LeaseClient = {
    hand: async (clientUrl) => {
      handed.push(clientUrl);
      return reported;
    },
    pass: () => happened.push('passed'),
  };
  const { signal } = new AbortController();
  const outside = {
    only,
    client: async (untilMs: number, given: AbortSignal) => {
      assert.equal(given, signal);
      happened.push(`waits until ${untilMs}`);
      return hasClient ? client : null;
    },
    clientNow: () => {
      happened.push('asks now');
      return hasClient ? client : null;
    },
  } as unknown as Outside;
  const requestPath = { clock: { aheadMs }, signal } as unknown as RequestPath;
  const url = {
    ...{ ...blankTaskUrl, url: 'http://a.test/1', depth: 3, hop: 2, attempt: 1, etag: '"v"', lastModified: 'Mon' },
    payload,
  };
  const task = { ...blankTask, hostKey: 'a.test', deadlineMs: 90_000, urls: [blankTaskUrl, url] };
  const options = { index: 1, delayMs: 700, latestStartMs: 60_000, arrived: () => happened.push('arrived') };
  const clientUrl = new ClientTurn(outside, requestPath, task, options);
  const request = () => clientUrl.request({ headers: ['accept', '*/*', 'user-agent', 'bot/1'] } as never);
  return { clientUrl, request, happened, handed };
}

describe('the client of a URL', () => {
  it('a URL goes to an external client with room, else to us', async () => {
    const taken = played({});
    assert.equal(await taken.clientUrl.turn(), 'them');
    assert.deepEqual(taken.happened, ['arrived', 'asks now']);
    assert.equal(await played({ hasClient: false }).clientUrl.turn(), 'us');
  });

  it('a URL for external clients only waits until its latest start by our own clock', async () => {
    for (const one of [{ only: true }, { payload: 'given along' }]) {
      const taken = played(one);
      assert.equal(await taken.clientUrl.turn(), 'them');
      assert.deepEqual(taken.happened, ['arrived', 'waits until 59900']);
      assert.equal(await played({ ...one, hasClient: false }).clientUrl.turn(), null, 'nobody came');
    }
  });

  it('a URL that an external client does not take returns once, and belongs to nobody then', async () => {
    const taken = played({});
    await taken.clientUrl.turn();
    taken.clientUrl.pass();
    taken.clientUrl.pass();
    assert.deepEqual(taken.happened, ['arrived', 'asks now', 'passed']);
    played({}).clientUrl.pass();
  });
});

describe('the request to a client', () => {
  it('the request to a client has all it needs, in times of our own clock, with two seconds for its answer to reach the frontier', async () => {
    const { clientUrl, request, handed, happened } = played({ payload: 'given along' });
    await clientUrl.turn();
    assert.equal(clientUrl.clientResult, undefined);
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
    assert.equal(clientUrl.clientResult, answered);
    clientUrl.pass();
    assert.equal(happened.includes('passed'), false, 'it has been used');
  });

  it('the client’s request becomes a response in times of the frontier’s clock', async () => {
    const responseTo = async (reported: Report) => {
      const { clientUrl, request } = played({ clientResult: reported });
      await clientUrl.turn();
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
