import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Render } from '../../../../schemas/types.ts';
import { createRenderer } from '../../../../services/extras/render/renderer.ts';

test('a site whose pages block the browser gets none rendered for ten times as long, and others go on', async () => {
  let nowMs = 1_000;
  const rendered: string[] = [];
  const renderer = createRenderer({
    browser: {
      async render({ url }) {
        rendered.push(url);
        if (!url.includes('evil')) return { html: '', loaded: 0, refused: 0, settled: true };
        nowMs += 35_000;
        return url.endsWith('/for-ever') ? null : { html: '', loaded: 0, refused: 0, settled: false };
      },
    },
    load: async () => null,
    read: async () => ({ page: null, groups: [] }),
    publish: async () => {},
    nowMs: () => nowMs,
    say() {},
  });
  const page = (url: string): { value: Render } => {
    const { host } = new URL(url);
    const none = {
      depth: 0,
      fetchedAtMs: 0,
      status: 200,
      headers: [],
      body: new Uint8Array(),
      delayMs: 0,
      usage: '',
      tags: [],
    };
    return { value: { url, hostKey: host, ...none } };
  };
  await renderer.handle(['http://a.evil.test/for-ever', 'http://b.evil.test/2', 'http://good.test/1'].map(page));
  nowMs += 349_000;
  await renderer.handle(['http://a.evil.test/3', 'http://good.test/2'].map(page));
  nowMs += 1_000;
  await renderer.handle(['http://a.evil.test/slow', 'http://c.evil.test/5'].map(page));
  await renderer.handle(['http://x.evil2.test/1', 'http://y.evil2.test/2', 'http://evil2.test/3'].map(page));
  await renderer.handle(['http://evil2.test/4', 'http://good.test/3'].map(page));
  assert.deepEqual(rendered, [
    'http://a.evil.test/for-ever',
    'http://good.test/1',
    'http://good.test/2',
    'http://a.evil.test/slow',
    'http://x.evil2.test/1',
    'http://y.evil2.test/2',
    'http://evil2.test/3',
    'http://good.test/3',
  ]);
  assert.deepEqual(renderer.stats(), { rendered: 7, failed: 1, passedOver: 4 });
});
