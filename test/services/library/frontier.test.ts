import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFrontier, type FrontierConfig } from '../../../services/library/frontier.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

const names = (text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof CrawlstreamError);
  assert.equal(error.code, 'INVALID_ARGUMENT');
  assert.match(error.message, text);
  return true;
};
const numbers = [-5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 31), '1', null] as number[];

test('an invalid number is refused by name and value, and the frontier goes on as if it had not been given', () => {
  let nowMs = 1_000_000;
  const frontier = createFrontier({ clock: { nowMs: () => nowMs } });
  frontier.add(['https://a.test/', 'https://a.test/2']);
  const lease = frontier.next()!;
  for (const bad of numbers) {
    const from = { url: 'https://a.test/', depth: 0 };
    assert.throws(() => frontier.add(['https://b.test/x'], { ...from, depth: bad }), names(/^add: from\.depth is /));
    assert.throws(() => frontier.add(['https://b.test/x'], { ...from, hop: bad }), names(/^add: from\.hop is /));
    const reported = { index: 0, kind: 'fetched' } as const;
    assert.throws(() => frontier.done(lease, [{ ...reported, index: bad }]), names(/outcomes\[0\]\.index is /));
    assert.throws(() => frontier.done(lease, [{ ...reported, status: bad }]), names(/outcomes\[0\]\.status is /));
    assert.throws(() => frontier.done({ ...lease, id: bad }, [reported]), names(/^done: lease\.id is /));
  }
  for (const url of ['', 'x', null, 7] as string[])
    assert.throws(() => frontier.add(['https://b.test/'], { url, depth: 0 }), names(/^add: from\.url is /));
  assert.throws(
    () => frontier.done(lease, [{ index: 0, kind: 'nonsense' as never }]),
    names(/outcomes\[0\]\.kind is /),
  );
  assert.throws(() => frontier.done(lease, 'x' as never), names(/^done: outcomes is x/));
  assert.throws(() => frontier.done({} as never, []), names(/^done: lease is /));
  frontier.done(
    lease,
    lease.urls.map((_, index) => ({ index, kind: 'fetched', status: 200 })),
  );
  nowMs += 60_000;
  frontier.add(['https://c.test/'], { url: 'https://a.test/', depth: 3 });
  assert.deepEqual(
    frontier.next()!.urls.map(({ url, depth }) => [url, depth]),
    [['https://c.test/', 4]],
  );
  assert.deepEqual([frontier.counters.admitted, frontier.counters.page, frontier.next()], [3, 2, null]);
});

test('a clock that returns no time is refused by name; fractions of a millisecond are accepted', () => {
  for (const ms of [Number.NaN, -1, Number.POSITIVE_INFINITY])
    assert.throws(() => createFrontier({ clock: { nowMs: () => ms } }), names(/^clock\.nowMs\(\) returned /));
  const frontier = createFrontier({ clock: { nowMs: () => 1_000_000.25 } });
  frontier.add(['https://a.test/']);
  assert.equal(frontier.next()!.urls.length, 1);
});

/** A frontier on a clock of its own that fetches at once. */
function onClock(policy: FrontierConfig['policy'] = {}) {
  const clock = { ms: 1_000_000, nowMs: () => clock.ms };
  return { clock, frontier: createFrontier({ clock, policy: { delayFactor: 0, ...policy } }) };
}

test('a lease is granted on request: its deadline lies ahead, and its URLs are in no other lease', () => {
  const { clock, frontier } = onClock({ delayMs: 0 });
  frontier.add(['https://a.test/a']);
  clock.ms += 600_000;
  const lease = frontier.next()!;
  assert.ok(lease.deadlineMs > clock.ms);
  assert.equal(frontier.next(), null);
  assert.equal(frontier.waitMs()! > 0, true);
});

test('the most urgent known URL comes first in a lease, whenever it was added', () => {
  const { frontier } = onClock({ delayMs: 0, urlsPerLeaseMax: 1, score: undefined });
  frontier.add(['https://a.test/deep?a=1&b=2&c=3'], { url: 'https://a.test/x', depth: 7 });
  frontier.add(['https://a.test/']);
  assert.equal(frontier.next()!.urls[0]!.url, 'https://a.test/');
});

test('a field of an outcome that is undefined is as one that is absent', () => {
  const { clock, frontier } = onClock({ delayMs: 0 });
  frontier.add(['https://a.test/a']);
  const outcome = { index: 0, kind: 'redirect', status: 301, redirectUrl: undefined, etag: undefined } as never;
  frontier.done(frontier.next()!, [outcome]);
  clock.ms += 60_000;
  frontier.add(['https://a.test/b']);
  assert.equal(frontier.next()!.urls[0]!.url, 'https://a.test/b');
});

test('each added URL is new, known, refused by a named rule, or finds no room', () => {
  const { frontier } = onClock({
    maxDepth: 1,
    queuedMax: 2,
    filters: { ...defaultPolicy().filters, exclude: ['/private/'] },
  });
  const verdicts = (...args: Parameters<typeof frontier.add>) =>
    frontier.add(...args).map((one) => (one.verdict === 'refused' ? `${one.verdict} by ${one.rule}` : one.verdict));
  assert.deepEqual(verdicts(['https://a.test/', 'https://A.test:443/#top', 'https://a.test/private/x']), [
    'new',
    'known',
    'refused by exclude',
  ]);
  assert.deepEqual(verdicts(['https://a.test/deep'], { url: 'https://a.test/', depth: 1 }), ['refused by depth']);
  assert.deepEqual(verdicts(['https://b.test/', 'https://c.test/']), ['new', 'full']);
  // Once there is room, the URL that waited comes first.
  for (let n = 0; n < 2; n++) frontier.done(frontier.next()!, [{ index: 0, kind: 'fetched', status: 200 }]);
  assert.deepEqual(verdicts(['https://c.test/']), ['known']);
  const { frontier: small } = onClock({ urlsPerHostMax: 1 });
  const rest = small.add(['https://a.test/1', 'https://a.test/2']).map(({ verdict }) => verdict);
  assert.deepEqual(rest, ['new', 'dropped']);
});

test("a program that fetches 900 URLs of 30 hosts one after another fetches each once, and at each host's pace", () => {
  const { clock, frontier } = onClock();
  const hosts = Array.from({ length: 30 }, (_, n) => `https://h${n}.test`);
  for (const host of hosts) frontier.add(Array.from({ length: 30 }, (_, n) => `${host}/${n}`));
  const endedAtMs = new Map<string, number>();
  const fetched: string[] = [];
  let [expired, short] = [0, 0];
  for (let lease = frontier.next(); ; lease = frontier.next()) {
    if (lease === null) {
      const waitMs = frontier.waitMs();
      if (waitMs === null) break;
      clock.ms += waitMs;
      continue;
    }
    const outcomes = lease.urls.map(({ url }, index) => {
      if (index > 0) clock.ms += lease.delayMs;
      if (clock.ms > lease.deadlineMs) expired += 1;
      if (clock.ms - (endedAtMs.get(lease.hostKey) ?? 0) < 1_000) short += 1;
      clock.ms += 200;
      endedAtMs.set(lease.hostKey, clock.ms);
      fetched.push(url);
      return { index, kind: 'fetched' as const, status: 200 };
    });
    frontier.done(lease, outcomes);
  }
  assert.deepEqual([fetched.length, new Set(fetched).size, expired, short], [900, 900, 0, 0]);
});
