/** Feeds that name a topic or a hub of their choice: nobody gets at another feed's subscription or its secret. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HubRequest } from '../../../services/push/hub-request.ts';
import { Websub } from '../../../services/push/websub.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';

const feed = 'https://victim.test/feed';

/** `feeds`: what each URL says of itself: `[hub, self]`. */
async function open(t: TestContext, feeds: Record<string, readonly [hub: string, self: string]>) {
  const folder = await mkdtemp(join(tmpdir(), 'websub-'));
  t.after(() => rm(folder, { recursive: true }));
  const asked: { readonly hub: string; readonly topic: string; readonly secret: string }[] = [];
  const request: HubRequest = async (url, form) => {
    if (form !== undefined) {
      asked.push({ hub: url, topic: form['hub.topic']!, secret: form['hub.secret']! });
      return { status: 202, links: [], text: '' };
    }
    const [hub, self] = feeds[url]!;
    return { status: 200, links: [`<${hub}>; rel="hub"`, `<${self}>; rel="self"`], text: '' };
  };
  const websub = await Websub.open({
    path: join(folder, 'subscriptions.json'),
    callback: 'https://us.test',
    clock: new SystemClock(),
    request,
    push: async () => {},
    say() {},
  });
  return { websub, asked, feeds };
}

async function confirm(websub: Websub, topic: string, hub: string): Promise<void> {
  const one = websub.subscriptions.find((each) => each.topic === topic && each.hub === hub)!;
  assert.equal(await websub.verify(one.id, { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.challenge': 'x' }), 'x');
}

test('a feed that calls itself by another origin’s name gets no subscription, and the other’s stays as it is', async (t) => {
  const evil = 'https://evil.test/feed';
  const { websub, asked } = await open(t, {
    [feed]: ['https://hub.test/', feed],
    [evil]: ['https://evil.test/hub', feed],
    'http://victim.test/feed': ['https://evil.test/hub', feed],
  });
  await websub.subscribe(feed);
  await confirm(websub, feed, 'https://hub.test/');
  const before = structuredClone(websub.subscriptions);
  for (const url of [evil, 'http://victim.test/feed']) {
    await assert.rejects(websub.subscribe(url), /calls itself https:\/\/victim\.test\/feed.*subscribe to that/);
  }
  assert.deepEqual(websub.subscriptions, before);
  assert.deepEqual(
    asked.map(({ hub }) => hub),
    ['https://hub.test/'],
  );
});

test('a feed that moves to another hub has a new secret there, and leaves the old hub when the new one has confirmed', async (t) => {
  const { websub, asked, feeds } = await open(t, { [feed]: ['https://old.test/', feed] });
  await websub.subscribe(feed);
  await confirm(websub, feed, 'https://old.test/');
  await websub.subscribe(feed);
  assert.equal(asked[0]!.secret, asked[1]!.secret, 'the same hub keeps its secret');
  feeds[feed] = ['https://new.test/', feed];
  await websub.subscribe(feed);
  assert.notEqual(asked[2]!.secret, asked[0]!.secret);
  assert.deepEqual(
    websub.subscriptions.map(({ hub, state }) => [hub, state]),
    [
      ['https://old.test/', 'active'],
      ['https://new.test/', 'asked'],
    ],
    'until then the old one delivers',
  );
  await confirm(websub, feed, 'https://new.test/');
  assert.deepEqual(
    websub.subscriptions.map(({ hub, state }) => [hub, state]),
    [['https://new.test/', 'active']],
  );
});
