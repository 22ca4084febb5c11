/** Which link elements lead to pages (HTML standard §4.6.7). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { meaningOf } from '../../../topology/parse/link-element.ts';

it('a link element leads to a page by next, prev and canonical, and by an alternate page', () => {
  for (const rel of ['next', 'prev', 'canonical', 'x next'])
    assert.equal(meaningOf(rel.split(' '), 'application/rss+xml'), 'page', rel);
  for (const type of [
    '',
    'text/html',
    ' Text/HTML ; charset=x;y',
    'application/xhtml+xml',
    'application/pdf',
    'text/plain',
  ])
    assert.equal(meaningOf(['alternate'], type), 'page', type);
});

it('an alternate is a feed by its type, and ignored if it is a format for machines', () => {
  for (const type of ['rss+xml', 'atom+xml', 'rdf+xml', 'feed+json'])
    assert.equal(meaningOf(['x', 'alternate'], `application/${type}`), 'feed', type);
  for (const type of ['application/json+oembed', 'text/calendar', 'text/html2'])
    assert.equal(meaningOf(['alternate'], type), 'none', type);
});

it('another link leads nowhere, whatever its type', () => {
  for (const rel of [[], ['stylesheet'], ['icon']])
    for (const type of ['', 'text/html', 'application/rss+xml']) assert.equal(meaningOf(rel, type), 'none');
});
