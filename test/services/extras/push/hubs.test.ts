import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { News } from '../../../../services/extras/push/news.ts';
import { isSigned, Websub } from '../../../../services/extras/push/websub.ts';
import { createGuardedRequest } from '../../../../services/runtime/http/guarded-request.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const feed = 'https://site.test/feed';
const hub = 'https://hub.test/';
const hourMs = 3_600_000;

async function open({ folder = temporaryFolder(), isPushed = true } = {}) {
  const path = join(folder, 'subscriptions.json');
  const clock = createFakeClock(1_000 * hourMs);
  const asked: string[] = [];
  const pushed: News[] = [];
  const websub = await Websub.open({
    ...{ path, clock, callback: 'https://us.test', say: () => {} },
    request: async (_, form) => {
      if (form === undefined) return { status: 200, links: [`<${hub}>; rel="hub", <${feed}>; rel="self"`], text: '' };
      // A hub may verify before it answers: by then it is on the disk.
      asked.push(readFileSync(path, 'utf8'));
      return { status: 202, links: [], text: '' };
    },
    push: async (news) => {
      if (!isPushed) throw new Error('the log is away');
      pushed.push(news);
    },
  });
  const verify = (id: string, more: Readonly<Record<string, string>> = {}) =>
    websub.verify(id, { 'hub.mode': 'subscribe', 'hub.topic': feed, 'hub.challenge': 'x', ...more });
  const keptFor = async (ms: number) => {
    const stopping = new AbortController();
    const kept = websub.keep(stopping.signal);
    for (let gone = 0; gone < ms; gone += 60_000) {
      await clock.advance(60_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    stopping.abort();
    await clock.advance(60_000);
    await kept;
  };
  return { websub, asked, pushed, clock, path, verify, keptFor };
}

describe('a subscription', () => {
  it('a subscription is stored before the hub is asked, since the hub may verify it at once', async () => {
    const { websub, asked } = await open();
    const { id } = await websub.subscribe(feed);
    assert.ok(asked[0]!.includes(id));
  });

  it('a subscription is confirmed for its own topic only, and only as a subscription', async () => {
    const { websub, verify } = await open();
    const { id } = await websub.subscribe(feed);
    assert.equal(await verify(id, { 'hub.topic': 'https://other.test/feed' }), null);
    assert.equal(await verify(id, { 'hub.mode': 'unsubscribe' }), null);
    assert.equal(await verify('another'), null);
    assert.equal(websub.subscriptions[0]!.state, 'asked');
    assert.equal(await verify(id), 'x');
    assert.equal(websub.subscriptions[0]!.state, 'active');
  });

  it('a subscription lasts as long as the hub says, up to a bound', async () => {
    const { websub, verify, clock } = await open();
    const { id } = await websub.subscribe(feed);
    await verify(id, { 'hub.lease_seconds': '1e300' });
    assert.equal(websub.subscriptions[0]!.expiresAtMs, clock.nowMs() + 10 * 365 * 24 * hourMs);
    await verify(id, { 'hub.lease_seconds': '-5' });
    assert.equal(websub.subscriptions[0]!.expiresAtMs, clock.nowMs() + 10 * 24 * hourMs);
  });

  it('a subscription is renewed before it ends, requested again if the hub is silent, and not if it was denied', async () => {
    for (const [state, times] of [
      ['silent', 3],
      ['denied', 1],
      ['active', 1],
      ['ending', 2],
    ] as const) {
      const { websub, verify, asked, keptFor } = await open();
      const { id } = await websub.subscribe(feed);
      if (state === 'denied') await verify(id, { 'hub.mode': 'denied' });
      if (state === 'active') await verify(id);
      // A fifth of it is left after two hours.
      if (state === 'ending') await verify(id, { 'hub.lease_seconds': `${2.5 * 3_600}` });
      await keptFor(2 * hourMs + 5 * 60_000);
      assert.equal(asked.length, times, state);
    }
  });

  it('a subscription is kept after a disk refused it once', async () => {
    const folder = join(temporaryFolder(), 'later');
    const { websub, verify } = await open({ folder });
    await assert.rejects(websub.subscribe(feed), /ENOENT/);
    mkdirSync(folder);
    const { id } = await websub.subscribe(feed);
    assert.equal(await verify(id), 'x');
    assert.ok(readFileSync(join(folder, 'subscriptions.json'), 'utf8').includes('"active"'));
  });
});

describe('a delivery', () => {
  const body = Buffer.from('x');
  const sign = (key: string, method = 'sha256') => createHmac(method, key).update(body).digest('hex');

  it('a delivery must carry the whole signature', () => {
    assert.equal(isSigned(body, `sha256=${sign('key')}`, 'key'), true);
    assert.equal(isSigned(body, `sha512=${sign('key', 'sha512')}`, 'key'), true);
    for (const signature of [
      undefined,
      '',
      `sha256=${sign('key').slice(0, 2)}`,
      `sha256=${sign('key')}00`,
      `sha256=${sign('other')}`,
      `md5=${sign('key', 'md5')}`,
    ])
      assert.equal(isSigned(body, signature, 'key'), false, signature);
  });

  it('a delivery counts once the frontier has it, and names a bounded number of pages', async () => {
    for (const isPushed of [false, true]) {
      const { websub, pushed } = await open({ isPushed });
      const { id, secret } = await websub.subscribe(feed);
      const entries = Array.from({ length: 1_500 }, (_, n) => `<entry><link href="https://site.test/${n}"/></entry>`);
      const atom = Buffer.from(`<feed xmlns="http://www.w3.org/2005/Atom">${entries.join('')}</feed>`);
      const signature = `sha256=${createHmac('sha256', secret).update(atom).digest('hex')}`;
      const delivered = websub.deliver(id, atom, signature, 'application/atom+xml');
      if (!isPushed) {
        await assert.rejects(delivered, /the log is away/);
        assert.equal(websub.subscriptions[0]!.pushes, 0);
        continue;
      }
      assert.equal(await delivered, true);
      assert.equal(pushed[0]!.due.length, 1_001);
      assert.equal(websub.subscriptions[0]!.pushes, 1);
    }
  });
});

describe('a request to a URL from a stranger', () => {
  const isBlocked = (address: string) => address === '127.0.0.1' || address === '::1';
  async function server(t: TestContext) {
    let contacts = 0;
    const one = createServer((_, response) => {
      contacts += 1;
      response.end('y'.repeat(100_000));
    });
    one.listen(0, '127.0.0.1');
    await once(one, 'listening');
    t.after(() => one.close());
    const { port } = one.address() as { port: number };
    return { port, contacts: () => contacts };
  }

  it('a request to a URL from a stranger never reaches a blocked address, however it is written', async (t) => {
    const { port, contacts } = await server(t);
    const ask = createGuardedRequest({ isBlocked, timeoutMs: 5_000, bytesMax: 10 });
    for (const name of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]'])
      await assert.rejects(ask(`http://${name}:${port}/`, {}), /may not be contacted/, name);
    assert.equal(contacts(), 0);
  });

  it('a request to a URL from a stranger reads no more than its bound', async (t) => {
    const { port } = await server(t);
    const ask = createGuardedRequest({ isBlocked: () => false, timeoutMs: 5_000, bytesMax: 10 });
    assert.equal((await ask(`http://127.0.0.1:${port}/`, {})).text, 'y'.repeat(10));
  });
});
