import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { prefetchName } from '../../../../services/fetcher/connect/prefetch-name.ts';
import type { Resolver } from '../../../../services/fetcher/connect/resolver.ts';

function asked(urls: readonly string[], hops: readonly string[] = []) {
  const names: unknown[] = [];
  const resolver = { resolve: async (...name: unknown[]) => names.push(name) } as unknown as Resolver;
  const robotsHops = hops.map((url) => ({ url, asked: [], partition: 0 }));
  prefetchName(resolver, { ...blankTask, urls: urls.map((url) => ({ ...blankTaskUrl, url })), robotsHops });
  return names;
}

it('the name of a lease’s host is resolved ahead, with the port of its requests', () => {
  assert.deepEqual(asked(['https://a.test/x', 'https://b.test/']), [['a.test', 443]]);
  assert.deepEqual(asked(['http://a.test/']), [['a.test', 80]]);
  assert.deepEqual(asked(['http://a.test:8080/']), [['a.test', 8080]]);
  assert.deepEqual(asked([], ['https://c.test/robots.txt']), [['c.test', 443]]);
  assert.deepEqual(asked([]), []);
});
