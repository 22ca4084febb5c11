import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import type { Page, Render } from '../../../../schemas/types.ts';
import { createRenderer } from '../../../../services/extras/render/renderer.ts';

const noJpeg = Buffer.alloc(0);
const jpeg = Buffer.from('ffd8ff', 'hex');

test('a site whose pages block the browser gets none rendered for ten times as long, and others go on', async () => {
  let nowMs = 1_000;
  const rendered: string[] = [];
  const renderer = createRenderer({
    browser: {
      async render({ url }) {
        rendered.push(url);
        if (!url.includes('evil')) return { html: '', loaded: 0, refused: 0, settled: true, screenshot: noJpeg };
        nowMs += 35_000;
        return url.endsWith('/for-ever')
          ? null
          : { html: '', loaded: 0, refused: 0, settled: false, screenshot: noJpeg };
      },
    },
    load: async () => null,
    read: async () => ({ page: null, groups: [] }),
    publish: async () => true,
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

test('a rendered page has its screenshot in its record, unless the page bars archives', async () => {
  const kept: (Page | null)[] = [];
  const statement = { source: 'meta robots', said: 'noarchive', hash: '', fromMs: 0 };
  const renderer = createRenderer({
    browser: { render: async () => ({ html: '', loaded: 0, refused: 0, settled: true, screenshot: jpeg }) },
    load: async () => null,
    read: async ({ url }) => ({
      page: {
        ...blankPage,
        url,
        usage: url.endsWith('/barred') ? [{ ...statement, use: 'archive', preference: 'deny' }] : [],
      },
      groups: [],
    }),
    publish: async ({ page }) => kept.push(page) > 0,
    nowMs: () => 0,
    say() {},
  });
  const none = { depth: 0, fetchedAtMs: 0, status: 200, headers: [], delayMs: 0, usage: '', tags: [] };
  const urls = ['http://a.test/', 'http://a.test/barred'];
  await renderer.handle(urls.map((url) => ({ value: { ...none, url, hostKey: 'a.test', body: new Uint8Array() } })));
  assert.deepEqual(
    kept.map((page) => [page?.rendered, page?.screenshot]),
    [
      [true, jpeg],
      [true, noJpeg],
    ],
  );
});

test('a rendered page without its screenshot is published and counted, and the first one is named', async () => {
  const said: string[] = [];
  let published = 0;
  const missing = { html: '', loaded: 0, refused: 0, settled: true, screenshot: noJpeg };
  const renderer = createRenderer({
    browser: {
      render: async ({ url }) =>
        url.endsWith('/shown')
          ? { ...missing, screenshot: jpeg }
          : { ...missing, noScreenshot: url.endsWith('/slow') ? 'late' : 'large' },
    },
    load: async () => null,
    read: async () => ({ page: blankPage, groups: [] }),
    publish: async () => ++published !== 4,
    nowMs: () => 0,
    say: (text) => said.push(text),
  });
  const none = { depth: 0, fetchedAtMs: 0, status: 200, headers: [], delayMs: 0, usage: '', tags: [] };
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/slow', 'http://a.test/shown'];
  await renderer.handle(urls.map((url) => ({ value: { ...none, url, hostKey: 'a.test', body: new Uint8Array() } })));
  assert.equal(published, 4);
  assert.deepEqual(renderer.noScreenshots(), { late: 1, large: 2, record: 1, failed: 0 });
  assert.deepEqual(said, [
    'render: no screenshot of http://a.test/1: it has more than 96 KiB; try fewer pixels; more are counted',
    'render: no screenshot of http://a.test/slow: it was not drawn in time; more are counted',
    'render: no screenshot of http://a.test/shown: the record of the page is too large for its topic with it; try fewer pixels, or raise max.message.bytes; more are counted',
  ]);
});
