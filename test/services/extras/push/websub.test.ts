/** Feeds that name a topic or a hub of their choice: nobody gets at another feed's subscription or its secret. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HubRequest } from '../../../../services/extras/push/hub-request.ts';
import type { News } from '../../../../services/extras/push/news.ts';
import { type PushTarget, pushNews } from '../../../../services/extras/push/pushed-urls.ts';
import { Websub } from '../../../../services/extras/push/websub.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';

const feed = 'https://victim.test/feed';

/** `feeds`: what each URL says of itself: `[hub, self]`. */
async function open(t: TestContext, feeds: Record<string, readonly [hub: string, self: string]>) {
  const folder = await mkdtemp(join(tmpdir(), 'websub-'));
  t.after(() => rm(folder, { recursive: true }));
  const asked: { readonly hub: string; readonly topic: string; readonly secret: string }[] = [];
  const pushed: News[] = [];
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
    push: async (news) => void pushed.push(news),
    say() {},
  });
  return { websub, asked, feeds, pushed };
}

async function confirm(websub: Websub, topic: string, hub: string): Promise<void> {
  const one = websub.subscriptions.find((each) => each.topic === topic && each.hub === hub)!;
  assert.equal(await websub.verify(one.id, { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.challenge': 'x' }), 'x');
}

test('a feed that claims another origin’s topic gets no subscription, and the other’s stays unchanged', async (t) => {
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
    await assert.rejects(websub.subscribe(url), /declares https:\/\/victim\.test\/feed.*subscribe to that URL/);
  }
  assert.deepEqual(websub.subscriptions, before);
  assert.deepEqual(
    asked.map(({ hub }) => hub),
    ['https://hub.test/'],
  );
});

test('a feed that moves to another hub gets a new secret there, and leaves the old hub once the new one has confirmed', async (t) => {
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

test('a delivery makes pages of its own site due; pages of other sites are links, which the policy filters', async (t) => {
  const { websub, asked, pushed } = await open(t, { [feed]: ['https://evil.test/hub', feed] });
  const { id } = await websub.subscribe(feed);
  await confirm(websub, feed, 'https://evil.test/hub');
  const entries = [
    'https://www.victim.test/a',
    'https://stranger.test/costly?q=1',
    'http://10.0.0.1/x',
    'https://b.test:8443/',
  ];
  const atom = entries.map((url) => `<entry><link href="${url.replace('&', '&amp;')}"/></entry>`).join('');
  const body = Buffer.from(`<feed xmlns="http://www.w3.org/2005/Atom">${atom}</feed>`);
  const signature = `sha256=${createHmac('sha256', asked[0]!.secret).update(body).digest('hex')}`;
  assert.equal(await websub.deliver(id, body, signature, 'application/atom+xml'), true);
  const [news] = pushed;
  assert.deepEqual(news, { due: [feed, entries[0]], found: entries.slice(1), foundOn: feed });

  const codec = await openCodec(createMemoryRegistry(), 't');
  const appended: Buffer[] = [];
  const target = {
    codec,
    clock: new SystemClock(),
    topics: { crawl: 't', partitions: 1, keyMode: 'host' },
    log: {
      append: async (records: readonly { readonly value: Buffer }[]) =>
        appended.push(...records.map(({ value }) => value)),
    },
  } as unknown as PushTarget;
  await pushNews(target, news!);
  const groups = appended.flatMap((value) => codec.decode('discovered', value).groups);
  assert.deepEqual(
    groups.map(({ hostKey, intent, sourceUrl, depth, links }) => [
      hostKey,
      intent,
      sourceUrl,
      depth,
      links[0]!.priority,
    ]),
    [
      ['victim.test', 'refresh', '', 0, 0],
      ['www.victim.test', 'refresh', '', 0, 0],
      ...['stranger.test', '10.0.0.1', 'b.test:8443'].map((hostKey) => [hostKey, 'discover', feed, 1, -1]),
    ],
  );
});
