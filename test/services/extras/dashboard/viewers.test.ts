import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CrawlView } from '../../../../services/extras/dashboard/crawl-view.ts';
import { dashboardLimits } from '../../../../services/extras/dashboard/limits.ts';
import type { CrawlStatus } from '../../../../services/extras/dashboard/status.ts';
import { type ViewEvent, Viewers } from '../../../../services/extras/dashboard/viewers.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

/** A clock moved by hand, and a crawl that counts how often it is looked at. */
function start(look: () => Promise<void> = async () => {}) {
  let nowMs = 0;
  let looks = 0;
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  const clock = {
    nowMs: () => nowMs,
    sleepUntil: (untilMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { untilMs, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      }),
  };
  const view = {
    async look() {
      looks += 1;
      await look();
      return { atMs: nowMs, phase: 'running' } as CrawlStatus;
    },
  } as CrawlView;
  const viewers = new Viewers({ clock, view: () => view });
  const settle = async () => {
    for (let i = 0; i < 20; i++) await turn();
  };
  const pass = async (ms: number) => {
    await settle();
    nowMs += ms;
    for (const { untilMs, wake } of [...sleepers]) if (untilMs <= nowMs) wake();
    await settle();
  };
  return { viewers, pass, settle, looks: () => looks };
}

function viewer(reads = true) {
  const events: ViewEvent[] = [];
  const one = { reads, ended: false, events };
  return {
    ...{ events, state: one },
    client: '127.0.0.1',
    send: (event: ViewEvent) => one.reads && events.push(event) > 0,
    end: () => void (one.ended = true),
  };
}

test('without viewers the crawl is not sampled; with many it is sampled once a second for all', async () => {
  const { viewers, pass, looks } = start();
  await pass(60_000);
  assert.equal(looks(), 0);
  const [one, other] = [viewer(), viewer()];
  viewers.add(one);
  viewers.add(other);
  for (let second = 0; second < 5; second++) await pass(1_000);
  assert.equal(looks(), one.events.length);
  assert.ok(looks() >= 5 && looks() <= 7, `${looks()}`);
  assert.deepEqual(other.events, one.events);
  viewers.remove(one);
  viewers.remove(other);
  await pass(1_000);
  const before = looks();
  await pass(60_000);
  assert.equal(looks(), before);
  const again = viewer();
  viewers.add(again);
  await pass(1_000);
  assert.ok(again.events.length > 0, 'it begins again');
});

test('a viewer that reads nothing is skipped, and later disconnected; the others notice nothing', async () => {
  const { viewers, pass } = start();
  const [good, stuck] = [viewer(), viewer(false)];
  viewers.add(good);
  viewers.add(stuck);
  for (let second = 0; second < dashboardLimits.unreadMax + 2; second++) await pass(1_000);
  assert.equal(stuck.state.ended, true);
  assert.ok(good.events.length > dashboardLimits.unreadMax);
});

test('a failed look is reported and the next one is tried; an endless one is reported while it lasts', async () => {
  let act: () => Promise<void> = () => Promise.reject(new Error('the broker is away'));
  const { viewers, pass } = start(() => act());
  const one = viewer();
  viewers.add(one);
  await pass(1_000);
  assert.deepEqual(one.events[0], { event: 'trouble', data: '{"message":"the broker is away"}' });
  let finish = () => {};
  act = () => new Promise((resolve) => (finish = resolve));
  await pass(1_000);
  await pass(dashboardLimits.patienceMs);
  assert.match(one.events.at(-1)!.data, /has not answered for \d+ s: a broker may be down/);
  finish();
  await pass(0);
  assert.equal(one.events.at(-1)!.event, 'told');
});

test('viewers of a starting crawl see that it starts', async () => {
  const away = new CrawlstreamError('NOT_READY', 'it is not up yet');
  const { viewers, pass } = start(() => Promise.reject(away));
  const one = viewer();
  viewers.add(one);
  await pass(1_000);
  assert.deepEqual(one.events[0], { event: 'waiting', data: '{"message":"it is not up yet"}' });
});

test('the end of a crawl is the last event; a stopping service ends its streams', async () => {
  const { viewers, pass, settle } = start();
  const one = viewer();
  viewers.add(one);
  await pass(1_000);
  await viewers.over('done');
  assert.deepEqual([one.events.at(-1)!.event, JSON.parse(one.events.at(-1)!.data).phase], ['over', 'done']);
  viewers.close();
  await settle();
  assert.equal(one.state.ended, true);
});

test('a crawl that ends during a slow look says so, with the last known values', async () => {
  let hangs = false;
  const { viewers, pass } = start(() => (hangs ? new Promise(() => {}) : Promise.resolve()));
  const one = viewer();
  viewers.add(one);
  await pass(0);
  hangs = true;
  await pass(dashboardLimits.everyMs);
  const over = viewers.over('stopped');
  await pass(dashboardLimits.overMs);
  await over;
  assert.deepEqual([one.events.at(-1)!.event, JSON.parse(one.events.at(-1)!.data).phase], ['over', 'stopped']);
});

test('nothing is sent after the last event, not even by a look under way', async () => {
  for (const fails of [false, true]) {
    let look: () => Promise<void> = async () => {};
    const { viewers, pass, settle } = start(() => look());
    const one = viewer();
    viewers.add(one);
    await pass(0);
    let finish = () => {};
    look = () =>
      new Promise((resolve, reject) => (finish = () => (fails ? reject(new Error('it is closed')) : resolve())));
    await pass(dashboardLimits.everyMs);
    const over = viewers.over('stopped');
    await pass(dashboardLimits.overMs);
    await over;
    finish();
    await settle();
    await pass(dashboardLimits.everyMs);
    assert.equal(one.events.at(-1)!.event, 'over', `a look that ${fails ? 'fails' : 'ends'} late`);
  }
});
