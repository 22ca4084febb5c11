import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hubLinks } from '../../../../topology/extras/push/hub-links.ts';

const url = 'https://a.test/feed';

test('Link headers name hub and topic, before anything in the text', () => {
  const headers = ['<https://hub.test/>; rel="hub", </self>; rel=self', '<https://b.test/>; rel="next"'];
  const text = '<link rel="hub" href="https://other.test/">';
  assert.deepEqual(hubLinks(headers, text, url), { hubs: ['https://hub.test/'], self: 'https://a.test/self' });
});

test('a feed or page names hub and topic in link elements, with any prefix and quotes', () => {
  const text = "<rss><atom:link rel='hub' href='https://hub.test/?a=1&amp;b=2'/><link\nhref='/x' rel='self'></rss>";
  assert.deepEqual(hubLinks([], text, url), { hubs: ['https://hub.test/?a=1&b=2'], self: 'https://a.test/x' });
});

test('a feed without a hub has none, and its topic is the requested URL', () => {
  assert.deepEqual(hubLinks(['<mailto:x@y.z>; rel=hub'], '<p>hub</p>', url), { hubs: [], self: url });
});

test('hostile markup costs one pass', () => {
  for (const text of ['<link '.repeat(200_000), '<'.repeat(1_000_000), `<link rel="${' '.repeat(1_000_000)}`])
    assert.deepEqual(hubLinks([text], text, url).hubs, []);
});
