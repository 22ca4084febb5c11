/** What a link's record says of who named it, and its URL of what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../../schemas/types.ts';
import { newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import { queuedInputs, scoreInputs } from '../../../../../topology/frontier/decide/links/score-inputs.ts';

const sourceOf = (group: Partial<LinkGroup>, lastModifiedMs = 0) =>
  scoreInputs({ ...blankLinkGroup, ...group }, lastModifiedMs, 'https://a.test/', undefined, 1, null, null).page.source;

test('a link comes from an operator, a redirect, a seed, a sitemap or a page, in this order', () => {
  const page = 'https://b.test/';
  const cases: readonly (readonly [group: Partial<LinkGroup>, lastModifiedMs: number, source: string])[] = [
    [{ intent: 'force', hop: 1 }, 0, 'operator'],
    [{ hop: 1, sourceUrl: page }, 9, 'redirect'],
    [{ sourceUrl: '', depth: 0 }, 0, 'seed'],
    [{ sourceUrl: '', depth: 0 }, 9, 'seed'],
    [{ sourceUrl: '', depth: 1 }, 0, 'link'],
    [{ sourceUrl: page, depth: 0 }, 0, 'link'],
    [{ sourceUrl: page, depth: 1 }, 1, 'sitemap'],
    [{ sourceUrl: page, depth: 1, intent: 'refresh' }, 0, 'sitemap'],
    [{ sourceUrl: page, depth: 1 }, 0, 'link'],
    [{ sourceUrl: page, depth: 1, foundIn: 'footer' }, 0, 'footer'],
    [{ sourceUrl: page, depth: 1, foundIn: 'content' }, 0, 'content'],
    [{ sourceUrl: page, depth: 1, foundIn: 'feed', intent: 'refresh' }, 1, 'feed'],
    [{ sourceUrl: page, depth: 1, foundIn: 'sitemap' }, 0, 'sitemap'],
    [{ sourceUrl: page, depth: 1, hop: 1, foundIn: 'content' }, 0, 'redirect'],
  ];
  for (const [group, lastModifiedMs, source] of cases)
    assert.equal(sourceOf(group, lastModifiedMs), source, JSON.stringify(group));
});

test('a URL’s content is guessed by its extension, before a query or at its end, within its last 40 characters', () => {
  const typeOf = (url: string) => queuedInputs(url, 1, newHostFacts, 1, null, null).page.type;
  assert.equal(typeOf('https://a.test/x.html'), 'html');
  assert.equal(typeOf('https://a.test/x.html?y'), 'html');
  assert.equal(typeOf('https://a.test/x.htmlx'), null);
  assert.equal(typeOf('https://a.test/x.unknown'), null);
  assert.equal(typeOf('https://a.test/x'), null);
  assert.equal(typeOf(`https://a.test/x.html?${'q'.repeat(34)}`), 'html');
  assert.equal(typeOf(`https://a.test/x.html?${'q'.repeat(35)}`), null);
});
