import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CrawlFile } from '../../../../../services/extras/fleet/crawl-file.ts';
import { folderDocuments } from '../../../../../services/extras/fleet/documents/folder-documents.ts';
import type { EventPosition } from '../../../../../services/extras/fleet/events/event-position.ts';
import type { CrawlEvent, EventBounds } from '../../../../../services/extras/fleet/events/read-events.ts';
import { readPlace } from '../../../../../services/extras/fleet/webhooks/webhook-file.ts';
import { webhookLimits } from '../../../../../services/extras/fleet/webhooks/webhook-limits.ts';
import { type Posted, WebhookSender } from '../../../../../services/extras/fleet/webhooks/webhook-sender.ts';
import { createFakeClock } from '../../../fetcher/fake-clock.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { until } from '../../../until.ts';

interface Sent {
  readonly id: string;
  readonly events: readonly string[];
}

/** A fleet of crawls with so many events each, and what their receivers got; an event is a page. */
function setUp(given: { folder?: string; crawls?: readonly string[]; events?: number } = {}) {
  const { folder = temporaryFolder(), crawls = ['docs'] } = given;
  const state = { events: given.events ?? 3, createdAtMs: 1, answer: (): Posted | Promise<Posted> => ok };
  for (const name of crawls) mkdirSync(join(folder, 'crawls', name), { recursive: true });
  const sent: Sent[] = [];
  const clock = createFakeClock(1_000_000);
  const ofRead = { hold: undefined as Promise<void> | undefined };
  const forgotten: string[] = [];
  const sender = new WebhookSender({
    clock,
    fleet: {
      names: crawls,
      file: (name) =>
        ({
          ...{ name, owner: 'one', createdAtMs: state.createdAtMs },
          webhook: { url: `https://${name}.test/`, secret: 'whsec_c2VjcmV0', content: 'none' },
        }) as unknown as CrawlFile,
    },
    documents: folderDocuments(folder),
    events: {
      async read(name: string, from: EventPosition, { most, to }: EventBounds) {
        await ofRead.hold;
        const end = Math.min(to?.pages ?? state.events, from.pages + most);
        const events = Array.from({ length: end - from.pages }, (_, n): CrawlEvent => {
          return { id: `${from.pages + n + 1}-0`, type: 'page', crawl: name, atMs: 5, data: {} };
        });
        return { events, next: { pages: end, changes: 0 }, isOver: false };
      },
      forget: (name: string) => void forgotten.push(name),
    } as never,
    async post(_, headers, body) {
      const { events } = (JSON.parse(body) as { data: { events: readonly CrawlEvent[] } }).data;
      sent.push({ id: headers['webhook-id']!, events: events.map(({ id }) => id) });
      return state.answer();
    },
    say: () => {},
  });
  const running = sender.run();
  /** Time passes, and whatever waits for a disk comes to its end. */
  const pass = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += webhookLimits.lookMs) {
      await clock.advance(Math.min(webhookLimits.lookMs, ms - gone));
      for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  /** Time passes until that many requests were made, which takes as long as the disk does. */
  const passTo = async (count: number) => {
    for (let n = 0; n < 300 && sent.length < count; n++) await pass(webhookLimits.lookMs);
    assert.equal(sent.length, count);
    await pass(2 * webhookLimits.lookMs);
  };
  const stop = async () => {
    sender.stop();
    await clock.advance(webhookLimits.lookMs);
    await running;
  };
  return { folder, state, sent, sender, clock, pass, stop, ofRead, forgotten, passTo };
}

const ok: Posted = { status: 204, retryAfter: '' };

describe('a webhook', () => {
  it('a webhook gets the same events under the same id until it accepts them, and then the next ones', async () => {
    for (const status of [302, 500, 404]) {
      const { state, sent, passTo, stop } = setUp();
      state.answer = () => ({ status, retryAfter: '' });
      await passTo(1);
      state.events = 5;
      await passTo(2);
      state.answer = () => ok;
      await passTo(4);
      await stop();
      assert.deepEqual(
        sent.map(({ events }) => events),
        [
          ['1-0', '2-0', '3-0'],
          ['1-0', '2-0', '3-0'],
          ['1-0', '2-0', '3-0'],
          ['4-0', '5-0'],
        ],
        `${status}`,
      );
      assert.equal(new Set(sent.map(({ id }) => id)).size, 2);
    }
  });

  it('a webhook gets its pending delivery unchanged after a kill, even if more has come', async () => {
    const first = setUp();
    first.state.answer = () => Promise.reject(new Error('killed'));
    await first.passTo(1);
    await first.stop();
    const next = setUp({ folder: first.folder, events: 5 });
    await next.passTo(2);
    await next.stop();
    assert.deepEqual(next.sent[0], first.sent[0]);
    assert.deepEqual(
      next.sent.map(({ events }) => events.length),
      [3, 2],
    );
  });

  it('a webhook rests as long as it asks, and longer after each failure, up to a bound', async () => {
    const { state, sender, passTo, stop, clock } = setUp();
    const waits = () => sender.status({ name: 'docs', webhook: { url: 'https://docs.test/' } } as CrawlFile)!.nextAtMs!;
    state.answer = () => ({ status: 429, retryAfter: '30' });
    await passTo(1);
    assert.ok(waits() - clock.nowMs() > 28_000, `${waits() - clock.nowMs()}`);
    state.answer = () => ({ status: 500, retryAfter: '' });
    for (let n = 0; n < 14; n++) {
      clock.leap(Math.max(0, waits() - clock.nowMs()));
      await passTo(2 + n);
    }
    assert.ok(waits() - clock.nowMs() <= webhookLimits.retryMaxMs);
    assert.ok(waits() - clock.nowMs() > webhookLimits.retryMaxMs / 2);
    await stop();
  });

  it('a webhook of a deleted crawl gets no more, and nothing is stored for it', async () => {
    const { sent, sender, pass, stop, ofRead, forgotten } = setUp();
    let go: () => void = () => {};
    ofRead.hold = new Promise((resolve) => {
      go = resolve;
    });
    await pass(400);
    let isForgotten = false;
    const gone = sender.forget('docs').then(() => {
      isForgotten = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isForgotten, false, 'its events are still being read');
    sender.stop();
    go();
    await gone;
    await stop();
    assert.deepEqual([sent, forgotten], [[], ['docs']]);
  });

  it('a webhook of a recreated crawl starts at its beginning', async () => {
    const { state, sent, passTo, stop, folder } = setUp();
    await passTo(1);
    const documents = folderDocuments(folder);
    // That it was taken is written after the answer, and would stand there again if it came behind the deletion.
    await until(async () => (await readPlace(documents, 'docs')).sending === null);
    await documents.delete('crawls/docs/webhook.json');
    state.createdAtMs = 2;
    await passTo(2);
    await stop();
    assert.deepEqual(
      sent.map(({ events }) => events[0]),
      ['1-0', '1-0'],
    );
  });

  it('a silent webhook delays only some of its owner’s webhooks', async () => {
    const crawls = Array.from({ length: webhookLimits.ofOwnerMax + 3 }, (_, n) => `crawl${n}`);
    const { state, passTo, stop } = setUp({ crawls });
    let answer: () => void = () => {};
    const held = new Promise<Posted>((resolve) => {
      answer = () => resolve(ok);
    });
    state.answer = () => held;
    await passTo(webhookLimits.ofOwnerMax);
    answer();
    await passTo(crawls.length);
    await stop();
  });

  it('a silent webhook lets the fleet stop, and gets the same events from the next process', async () => {
    const first = setUp();
    first.state.answer = () => new Promise<Posted>(() => {});
    await first.passTo(1);
    first.sender.stop();
    await first.clock.advance(webhookLimits.stopMs);
    await first.stop();
    const next = setUp({ folder: first.folder });
    await next.passTo(1);
    await next.stop();
    assert.deepEqual(next.sent[0], first.sent[0]);
  });

  it('a webhook of a very active crawl delays no other of its owner’s', async () => {
    const crawls = Array.from({ length: webhookLimits.ofOwnerMax + 3 }, (_, n) => `crawl${n}`);
    const { sent, pass, stop } = setUp({ crawls, events: 1e9 });
    const reported = () => new Set(sent.map(({ id }) => id.split('-')[0]));
    for (let n = 0; n < 20 && reported().size < crawls.length; n++) await pass(webhookLimits.lookMs);
    await stop();
    assert.deepEqual([...reported()].sort(), [...crawls].sort());
  });
});
