import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { HttpClient, HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import {
  keepPause,
  type PacedRequest,
  pacedRequest,
  type RequestPath,
} from '../../../../services/fetcher/pace/paced-request.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { createFakeClock } from '../fake-clock.ts';

test('a grant from a clock ahead of ours shortens no delay and moves the deadline', async () => {
  const ownClock = createFakeClock();
  const clock = createGrantClock(ownClock);
  const { signal } = new AbortController();
  const startsMs: number[] = [];
  const http: HttpClient = {
    request: async () => {
      startsMs.push(ownClock.nowMs());
      return {
        status: 200,
        headers: [],
        body: Buffer.alloc(0),
        rawBody: Buffer.alloc(0),
        truncated: false,
        address: '',
        startMs: clock.nowMs(),
        endMs: clock.nowMs(),
        connectMs: 0,
        firstByteMs: 1,
        failure: null,
        staleConnection: false,
        unreached: false,
      };
    },
    stats: () => ({ origins: 0, inFlight: 0 }),
    close: async () => {},
  };
  const requestPath = {
    clock,
    ownClock,
    http,
    pacer: createPacer(ownClock, signal),
    addressPacer: createAddressPacer(ownClock, 0, () => 1),
    resolver: {
      ...{ resolve: () => assert.fail('nobody asks'), resolvesOthers: () => assert.fail('nobody asks') },
      ...{ known: () => assert.fail('nobody asks'), askedAtMs: () => undefined },
      ...{ avoid: () => false, waiting: 0, forgetFailures: () => {} },
    },
    bandwidth: createBandwidth(ownClock, () => 1),
    slots: createSlots(1),
    isBlocked: () => false,
    signal,
  };
  const request = (latestStartMs: number) =>
    pacedRequest(requestPath, {
      url: 'http://a.test/',
      headers: [],
      hostKey: 'a.test',
      delayMs: 1_000,
      delayFactor: 0,
      latestStartMs,
      record: () => {},
    });

  await request(clock.nowMs() + 60_000);
  clock.observe(ownClock.nowMs() + 5_000);
  const second = request(clock.nowMs() + 60_000);
  await ownClock.advance(1_100);
  assert.ok(await second);
  assert.equal(startsMs[1]! - startsMs[0]!, 1_001, 'one second and the rest of its millisecond');

  const late = request(clock.nowMs() + 800);
  assert.equal(await late, null, 'its turn comes after its deadline, by the clock that set the deadline');
});

/** A pacer with one permit, and no other in time. */
function onePermit() {
  let permits = 0;
  return { acquire: async () => (permits++ === 0 ? { release: () => {} } : null) };
}

const answered = {
  ...{ status: 200, headers: [], body: Buffer.from('abc'), rawBody: Buffer.from('ab'), truncated: false, address: '' },
  ...{
    startMs: 100,
    endMs: 140,
    connectMs: 0,
    firstByteMs: 1,
    failure: null,
    staleConnection: false,
    unreached: false,
  },
} as HttpResponse;

interface Played {
  readonly request?: Partial<PacedRequest>;
  /** Of each request in turn; the last of them for all that follow. */
  readonly responses?: readonly Partial<HttpResponse>[];
  /** What nobody gives: a permit and so on. */
  readonly lacks?: 'permit' | 'place' | 'bytes';
  readonly isActive?: boolean;
  readonly resolution?: object;
  readonly requestPath?: Partial<RequestPath>;
  readonly avoids?: boolean;
  readonly turn?: 'us' | 'them' | null;
}

/** Everything that happened on the way, in its order. `aheadMs` of the clock is 10, and our own stands at 1,000. */
async function played({
  request = {},
  responses = [{}],
  lacks,
  isActive = false,
  resolution = { ok: true, addresses: ['192.0.2.1', '192.0.2.2'], overridden: false },
  requestPath: more = {},
  avoids = true,
  turn,
}: Played) {
  const happened: string[] = [];
  const say = (...words: unknown[]) => happened.push(words.join(' '));
  const asked: unknown[] = [];
  const passed: unknown[] = [];
  let sent = 0;
  const answer = (by: string) => async (given: unknown) => {
    passed.push(given);
    say(by);
    const own = responses[Math.min(sent++, responses.length - 1)];
    return { ...answered, ...own };
  };
  const requestPath = {
    ...{ clock: { aheadMs: 10, nowMs: () => 1_010 }, ownClock: { nowMs: () => 1_000 } },
    http: { request: answer('request') },
    pacer: {
      acquire: async (...args: unknown[]) => {
        asked.push(args);
        say('permit');
        return lacks === 'permit'
          ? null
          : { release: (endMs: number, delayMs: number) => say('released', endMs, delayMs) };
      },
    },
    addressPacer: {
      active: isActive,
      acquire: async (address: string, latestMs: number, _: unknown, slots: unknown) => {
        say('address', address, latestMs, slots);
        return lacks === 'place'
          ? null
          : { apartMs: 33, start: () => say('started'), pass: () => say('address passed') };
      },
    },
    resolver: {
      resolve: async (name: string, port: number) => {
        say('resolve', name, port);
        return resolution;
      },
      avoid: (name: string, address: string) => {
        say('avoid', name, address);
        return avoids;
      },
    },
    bandwidth: {
      take: (latestMs: number) => {
        say('bytes', latestMs);
        return lacks === 'bytes' ? null : { received: (bytes: number) => say('received', bytes) };
      },
    },
    slots: { take: async () => say('slot'), release: () => say('slot back') },
    isBlocked: () => false,
    onResponse: () => say('seen'),
    signal: new AbortController().signal,
    ...more,
  } as unknown as RequestPath;
  const by = {
    turn: async () => {
      say('turn');
      return turn;
    },
    pass: () => say('turn passed'),
    request: answer('their request'),
  };
  const response = await pacedRequest(requestPath, {
    ...{ url: 'http://a.test/1', headers: [], hostKey: 'a.test', delayMs: 200, delayFactor: 0, latestStartMs: 5_010 },
    record: (_: unknown, addressDelayMs: number) => say('recorded', addressDelayMs),
    ...(turn !== undefined && { by: by as never }),
    ...request,
  });
  return { happened, asked, passed, response };
}

const wayThere = ['permit', 'bytes 5000', 'slot', 'request'];
const wayBack = ['received 2', 'slot back', 'released 1000 200', 'recorded 0', 'seen'];

describe('a request', () => {
  it('a request takes its host’s permit, a bandwidth share and a slot, which end with it', async () => {
    const { happened, asked, response } = await played({});
    assert.deepEqual(happened, [...wayThere, ...wayBack]);
    const noMore = { delayFactor: 0, crawlDelayMs: 0, isBegun: false, failing: undefined };
    assert.deepEqual(asked, [['a.test', 200, 5_000, false, noMore]]);
    assert.equal(response?.status, 200);
    const whole = { delayFactor: 2, crawlDelayMs: 1, isBegun: true, failing: { isFirstTry: true, most: 3 } };
    const failing = { url: 'http://a.test/1', isFirstTry: true, most: 3 };
    assert.deepEqual((await played({ request: whole })).asked, [['a.test', 200, 5_000, true, { ...whole, failing }]]);
  });

  it('a request reports its start when nothing is left to wait for, and not if it is not made', async () => {
    for (const [what, isMade] of [
      [{}, true],
      [{ lacks: 'permit' }, false],
      [{ lacks: 'place', isActive: true }, false],
      [{ lacks: 'bytes' }, false],
      [{ requestPath: { isBlocked: () => true } }, false],
      [{ requestPath: { clock: { aheadMs: 10, nowMs: () => 5_011 } as never } }, false],
    ] as const) {
      let starts = 0;
      await played({ ...what, request: { onStart: () => (starts += 1) } });
      assert.equal(starts, isMade ? 1 : 0, JSON.stringify(what));
    }
  });

  it('a request that may not be made returns its permit, share and slot', async () => {
    const aborted = AbortSignal.abort();
    for (const [what, expected] of [
      [{ lacks: 'permit' }, ['permit']],
      [{ request: { isNeeded: () => false } }, ['permit', 'released 0 0']],
      [{ lacks: 'bytes' }, ['permit', 'bytes 5000', 'released 0 0']],
      ...[
        { requestPath: { signal: aborted } },
        { requestPath: { isBlocked: () => true } },
        { requestPath: { mayContact: () => false } },
        { requestPath: { clock: { aheadMs: 10, nowMs: () => 5_011 } as never } },
      ].map((one) => [one, ['permit', 'bytes 5000', 'slot', 'slot back', 'received 0', 'released 0 0']] as const),
    ] as const) {
      const { happened, response } = await played(what);
      assert.deepEqual([happened, response], [expected, null]);
    }
    for (const what of [
      { request: { isNeeded: () => true } },
      { requestPath: { mayContact: () => true } },
      { requestPath: { clock: { aheadMs: 10, nowMs: () => 5_010 } as never } },
    ])
      assert.equal((await played(what)).happened.length, 9);
  });

  it('a request checks again whether it may go on once it is connected', async () => {
    let isBlocked = false;
    const { passed } = await played({ requestPath: { isBlocked: () => isBlocked } });
    const { mayStart } = passed[0] as { readonly mayStart: () => boolean };
    assert.equal(mayStart(), true);
    isBlocked = true;
    assert.equal(mayStart(), false);
  });

  it('a request counts the received bytes, kept or not', async () => {
    const { happened } = await played({ responses: [{ kept: Buffer.from('abcdef') as never }] });
    assert.equal(happened[4], 'received 6');
  });

  it('a request is followed by the delay or a multiple of its duration, up to a bound', async () => {
    const released = async (request: Partial<PacedRequest>, endMs = 140) =>
      (await played({ request, responses: [{ endMs }] })).happened.find((text) => text.startsWith('released'));
    assert.equal(await released({ delayFactor: 4.99 }), 'released 1000 200');
    assert.equal(await released({ delayFactor: 5.04 }), 'released 1000 202');
    assert.equal(await released({ delayFactor: 5 }, 1_000_000), `released 1000 ${fetcherLimits.adaptiveDelayMaxMs}`);
  });

  it('a request is visible to its observers', async () => {
    let held = 0;
    const { happened } = await played({ request: { holdsResponse: () => (held += 1) } });
    assert.deepEqual([happened.at(-1), held], ['recorded 0', 1]);
    assert.equal((await played({ requestPath: { onResponse: undefined as never } })).happened.at(-1), 'recorded 0');
  });
});

describe('a request where addresses are paced', () => {
  const place = (port: number, slots: unknown = '') => [
    `resolve a.test ${port}`,
    `address 192.0.2.1 5000 ${slots}`.replace('undefined', ''),
  ];
  const there = ['permit', ...place(80), 'bytes 5000', 'slot', 'request', 'started'];
  const back = ['received 2', 'slot back', 'released 1000 200', 'recorded 33', 'seen'];

  it('a request goes to the first address of its name, with that address’s permit, which ends as the request starts', async () => {
    const { happened, passed } = await played({ isActive: true });
    assert.deepEqual(happened, [...there, ...back]);
    assert.equal((passed[0] as { readonly address: string }).address, '192.0.2.1');
    for (const [url, port] of [
      ['https://a.test/', 443],
      ['http://a.test:81/', 81],
    ] as const)
      assert.deepEqual(
        (await played({ isActive: true, request: { url, connections: 3 } })).happened.slice(1, 3),
        place(port, 3),
      );
  });

  it('a request needs no address permit without a delay, nor if its name does not resolve or has a fixed address', async () => {
    assert.deepEqual((await played({ isActive: true, request: { delayMs: 0 } })).happened[1], 'bytes 5000');
    for (const resolution of [{ ok: false }, { ok: true, addresses: ['192.0.2.1'], overridden: true }]) {
      const { happened, passed } = await played({ isActive: true, resolution });
      assert.deepEqual(happened, ['permit', 'resolve a.test 80', ...wayThere.slice(1), ...wayBack]);
      assert.equal('address' in (passed[0] as object), false);
    }
  });

  it('a request that is not made returns its address permit', async () => {
    const noPlace = await played({ isActive: true, lacks: 'place' });
    assert.deepEqual(noPlace.happened, ['permit', ...place(80), 'released 0 0']);
    const noBytes = await played({ isActive: true, lacks: 'bytes' });
    assert.deepEqual(noBytes.happened, ['permit', ...place(80), 'bytes 5000', 'address passed', 'released 0 0']);
    const blocked = await played({ isActive: true, requestPath: { isBlocked: () => true } });
    assert.deepEqual(blocked.happened.slice(-4), ['slot back', 'received 0', 'address passed', 'released 0 0']);
  });

  it('a request is made at the next address if the first one does not answer', async () => {
    const unreached = { isActive: true, responses: [{ unreached: true, status: 0 }, {}] };
    const { happened, response } = await played(unreached);
    assert.deepEqual(happened, [...there, ...back, 'avoid a.test 192.0.2.1', ...there, ...back]);
    assert.equal(response?.status, 200);
    const last = await played({ ...unreached, avoids: false });
    assert.deepEqual([last.happened.at(-1), last.response?.status], ['avoid a.test 192.0.2.1', 0]);
    assert.equal(
      (await played({ responses: [{ unreached: true }] })).happened.length,
      9,
      'of no address there is no other',
    );
  });
});

describe('a request on a connection that had been closed', () => {
  it('a request on a closed kept connection is repeated at most twice, unless it pays or its URL has failed before', async () => {
    const stale = { responses: [{ staleConnection: true }] };
    const [there, back] = [wayThere, wayBack];
    const { happened } = await played(stale);
    assert.deepEqual(happened, [...there, ...back, ...there, ...back, ...there, ...back]);
    const once = await played({ responses: [{ staleConnection: true }, {}] });
    assert.deepEqual(once.happened, [...there, ...back, ...there, ...back]);
    assert.equal((await played({ ...stale, request: { isPaid: true } })).happened.length, 9);
    assert.equal((await played({ ...stale, request: { isRetry: true } })).happened.length, 9);
    const { response } = await played({ ...stale, requestPath: { pacer: onePermit() as never } });
    assert.equal(response?.staleConnection, true, 'if it can be in time');
    const elsewhere = await played({
      responses: [{ unreached: true, status: 0 }],
      isActive: true,
      requestPath: { pacer: onePermit() as never },
    });
    assert.equal(elsewhere.response?.unreached, true, 'a host with two dead addresses does not live for ever');
  });
});

describe('a request whose answer the strict parser refused', () => {
  const misread = { misread: true, status: 0 } as const;
  const [there, back] = [wayThere, wayBack];

  it('a request whose answer the strict parser refuses is repeated at its host’s pace and recorded each time', async () => {
    for (const isRetry of [false, true]) {
      const { happened, response } = await played({ request: { isRetry }, responses: [misread, {}] });
      assert.deepEqual([happened, response?.status], [[...there, ...back, ...there, ...back], 200]);
    }
  });

  it('a URL whose answer the strict parser refused has no failure if there is no time to request it again', async () => {
    const { response } = await played({ responses: [misread], requestPath: { pacer: onePermit() as never } });
    assert.equal(response, null);
  });

  it('a request that pays is made once, even if the strict parser refuses the answer', async () => {
    assert.equal((await played({ request: { isPaid: true }, responses: [misread, {}] })).happened.length, 9);
  });
});

describe('a request by an external client', () => {
  it('a request by an external client needs no slot and ends when the client says', async () => {
    const { happened } = await played({ turn: 'them', isActive: true });
    assert.deepEqual(happened.slice(0, 2), ['permit', 'turn']);
    assert.deepEqual(happened.slice(4), [
      'bytes 5000',
      'their request',
      'started',
      'received 2',
      'released 130 200',
      'recorded 33',
      'seen',
    ]);
  });

  it('a request that external clients leave to us is ours, and is not made if no client comes for it', async () => {
    const { happened } = await played({ turn: 'us' });
    assert.deepEqual(happened, ['permit', 'turn', ...wayThere.slice(1), ...wayBack]);
    assert.deepEqual((await played({ turn: null, isActive: true })).happened, ['permit', 'turn', 'released 0 0']);
  });

  it('a request by an external client is passed on if it is not made', async () => {
    const them = { turn: 'them', isActive: true } as const;
    assert.deepEqual((await played({ ...them, lacks: 'place' })).happened.slice(-2), ['turn passed', 'released 0 0']);
    assert.deepEqual((await played({ ...them, lacks: 'bytes' })).happened.slice(-3), [
      'turn passed',
      'address passed',
      'released 0 0',
    ]);
    assert.deepEqual((await played({ ...them, requestPath: { isBlocked: () => true } })).happened.slice(-5), [
      ...['bytes 5000', 'turn passed', 'received 0', 'address passed', 'released 0 0'],
    ]);
  });
});

describe('a pause that a host asks for', () => {
  it('a pause that a host asks for holds for its next request, unless the response was a success', () => {
    const held = (status: number, headers: readonly string[]) => {
      const holds: unknown[] = [];
      const pacer = { hold: (hostKey: string, untilMs: number) => holds.push([hostKey, untilMs]) };
      const requestPath = { pacer, ownClock: { nowMs: () => 1_000 } } as unknown as RequestPath;
      keepPause(requestPath, 'a.test', { ...answered, status, headers });
      return holds;
    };
    const asks = ['retry-after', '7'];
    for (const status of [301, 404, 429, 500, 503]) assert.deepEqual(held(status, asks), [['a.test', 8_001]]);
    for (const status of [0, 200, 204, 299]) assert.deepEqual(held(status, asks), []);
    assert.deepEqual(held(503, []), []);
    assert.deepEqual(held(503, ['retry-after', '0']), []);
  });
});
