import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankTask } from '../../../../schemas/blank.ts';
import type { Resolution } from '../../../../services/fetcher/connect/resolver.ts';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { createNameGate } from '../../../../services/fetcher/leases/name-gate.ts';
import { createFakeClock } from '../fake-clock.ts';
import { taskUrls } from '../harness.ts';

const found: Resolution = { ok: true, addresses: ['192.0.2.1'], overridden: false };
const leaseOf = (host: string) => ({ ...blankTask, hostKey: host, urls: taskUrls(`http://${host}/`) });
const late = Number.POSITIVE_INFINITY;

interface Given {
  readonly placesMax?: number | null;
  readonly placesOfPartitionMax?: number;
  readonly asideMax?: number;
  /** Look-ups that wait for others. */
  readonly waiting?: number;
}

/** A gate with two places, before name servers that answer when `answer` is called. */
function open({ placesMax = 2, placesOfPartitionMax = 9, asideMax = 0, waiting = 0 }: Given = {}) {
  const stopping = new AbortController();
  const clock = createFakeClock(1_000);
  const asked: string[] = [];
  const aside: number[] = [];
  const pending = new Map<string, (answer: Resolution) => void>();
  const answers = new Map<string, Resolution>();
  const resolver = {
    waiting,
    known: (hostname: string) => answers.get(hostname),
    resolve(hostname: string, port: number) {
      asked.push(`${hostname}:${port}`);
      return answers.get(hostname) ?? new Promise<Resolution>((resolve) => pending.set(hostname, resolve));
    },
  };
  const asideOf = new Map<number, number>();
  const onAside = (partition: number, leases: number) => {
    asideOf.set(partition, leases);
    aside.push(names.aside);
  };
  const room = { isFree: true };
  const hasRoom = () => room.isFree;
  const places = { placesMax, placesOfPartitionMax, asideMax };
  const names = createNameGate({ resolver, clock, ...places, hasRoom, onAside, signal: stopping.signal });
  const pass = (host: string, untilMs = late, partition = 0) => names.pass({ ...leaseOf(host), partition }, untilMs);
  const fill = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => pass(`h${from + n}.dead${from + n}.test`));
  return { names, pass, fill, asked, aside, asideOf, answers, pending, stopping, clock, room };
}

test('a bounded number of leases with unresolved names waits; the next one returns while its name is looked up', async () => {
  const { pass, asked, answers, stopping } = open();
  answers.set('known.test', found);
  const first = pass('a.dead.test');
  void pass('b.dead.test');
  assert.equal(await pass('c.dead.test'), false);
  assert.deepEqual(asked, ['a.dead.test:80', 'b.dead.test:80', 'c.dead.test:80']);
  assert.equal(pass('known.test'), undefined, 'a name that is known waits for nobody');
  stopping.abort();
  assert.equal(await first, false, 'a fetcher that stops waits for no name');
});

test('a lease that begins while its fetcher stops waits for no name, and has none looked up', async () => {
  const { pass, asked, stopping } = open();
  stopping.abort();
  assert.equal(await pass('a.dead.test'), false);
  assert.deepEqual(asked, []);
});

test('a host with a known name passes however many names are looked up or wait for it', async () => {
  const { pass, fill, asked, answers } = open({ waiting: 1_000_000 });
  fill(2);
  answers.set('known.test', found);
  assert.equal(pass('known.test'), undefined);
  assert.equal(await pass('c.dead.test'), false);
  assert.equal(asked.length, 2, 'the look-up of a further name would only wait');
});

test('leases beyond the places wait aside and take no place, until they are too many', async () => {
  const { names, pass, fill, aside, pending, clock } = open({ placesMax: 2, asideMax: 6 });
  const inPlaces = fill(2);
  await clock.advance(fetcherLimits.namesSlowMs);
  const waiting = [...inPlaces, ...fill(4, 2)];
  assert.equal(names.aside, 4);
  fill(2, 6);
  assert.equal(await pass('more.test'), false);
  pending.get('h5.dead5.test')!(found);
  assert.equal(await waiting[5], true);
  assert.deepEqual(aside.slice(0, 4), [1, 2, 3, 4]);
  assert.ok(aside.at(-1)! < Math.max(...aside), `${aside}`);
});

test('no lease waits aside while names become known in a moment', async () => {
  const { names, pass, fill, clock, pending } = open({ placesMax: 2, asideMax: 6 });
  const [first] = fill(2);
  await clock.advance(fetcherLimits.namesSlowMs - 1);
  assert.equal(await pass('a.test'), false);
  pending.get('h0.dead0.test')!(found);
  assert.equal(await first, true);
  void pass('b.test');
  await clock.advance(fetcherLimits.namesSlowMs);
  void pass('c.test');
  assert.equal(names.aside, 1);
});

test('a lease that waited aside returns if no place is free, and reports a failed name in any case', async () => {
  const { pass, fill, clock, pending, room } = open({ placesMax: 1, asideMax: 6 });
  fill(1);
  await clock.advance(fetcherLimits.namesSlowMs);
  const [good, bad, late] = ['good.test', 'bad.test', 'late.test'].map((host) => pass(host));
  room.isFree = false;
  pending.get('good.test')!(found);
  pending.get('bad.test')!({ ok: false, kind: 'dnsFailed', detail: 'no' });
  assert.deepEqual([await good, await bad], [false, true]);
  room.isFree = true;
  pending.get('late.test')!(found);
  assert.equal(await late, true);
});

test('names of one domain leave room for other domains', async () => {
  const { pass, clock } = open({ placesMax: 4, asideMax: 16 });
  let turnedAway = 0;
  const countOf = (host: string) => pass(host)?.then((isPast) => void (turnedAway += isPast ? 0 : 1));
  for (let n = 0; n < 4; n++) void countOf(`h${n}.dead.test`);
  await clock.advance(fetcherLimits.namesSlowMs);
  for (let n = 4; n < 40; n++) void countOf(`h${n}.dead.test`);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(turnedAway, 25);
  void countOf('new.test');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(turnedAway, 25);
});

test('names of one partition leave places for others, and wait aside for their own partition', async () => {
  const { names, pass, asideOf, clock, pending } = open({ placesMax: 4, placesOfPartitionMax: 2, asideMax: 6 });
  for (const host of ['a.test', 'b.test']) void pass(host);
  await clock.advance(fetcherLimits.namesSlowMs);
  const third = pass('c.test');
  void pass('d.test');
  void pass('e.test', late, 1);
  assert.deepEqual([names.aside, [...asideOf]], [2, [[0, 2]]]);
  pending.get('c.test')!(found);
  assert.equal(await third, true);
  assert.deepEqual([...asideOf], [[0, 1]]);
});

test('a lease returns when its requests may not start any more', async () => {
  const { pass, names, clock } = open({ placesMax: 1, asideMax: 1 });
  const first = pass('a.test', 5_000);
  await clock.advance(fetcherLimits.namesSlowMs);
  const second = pass('b.test', 4_000);
  assert.equal(names.aside, 1);
  await clock.advance(3_500);
  assert.deepEqual([await first, names.aside], [false, 0]);
  assert.equal(await second, false);
});

test('a lease goes on once its name is looked up, whatever the answer, and frees a place', async () => {
  const { pass, pending } = open();
  const first = pass('a.test');
  pending.get('a.test')!({ ok: false, kind: 'dnsFailed', detail: 'no' });
  assert.equal(await first, true);
  void pass('b.test');
  void pass('c.test');
  assert.equal(await pass('d.test'), false);
});

test('with a replacement for HTTP no lease waits for a name', () => {
  const { pass } = open({ placesMax: null, waiting: 9 });
  assert.equal(pass('a.test'), undefined);
});

test('the name of a lease that has to wait is looked up ahead, with the port of its requests', () => {
  const { names, asked } = open();
  names.lookUp(leaseOf('a.test:8080'));
  names.lookUp({ ...blankTask, urls: taskUrls('https://b.test/x') });
  names.lookUp({ ...blankTask, robotsHops: [{ url: 'https://c.test/robots.txt', asked: [], partition: 0 }] });
  names.lookUp(blankTask);
  assert.deepEqual(asked, ['a.test:8080', 'b.test:443', 'c.test:443']);
});
