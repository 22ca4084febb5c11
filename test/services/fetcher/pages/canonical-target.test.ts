/** Where a page's canonical leads, where that is the page's identity. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalTarget } from '../../../../services/fetcher/pages/canonical-target.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';

const normalize = compileNormalizer();
const leads = (url: string, canonical: string) => canonicalTarget(url, canonical, normalize);

describe('a canonical', () => {
  it('a canonical is believed if it drops parameters, an index page or http', () => {
    assert.equal(leads('https://a.test/x?sid=1&p=2', 'https://a.test/x?p=2'), 'https://a.test/x?p=2');
    assert.equal(leads('https://a.test/d/index.html', 'https://a.test/d/'), 'https://a.test/d/');
    assert.equal(leads('http://a.test/x', 'https://a.test/x'), 'https://a.test/x');
    assert.equal(
      leads('http://a.test/d/index.html?sid=1', 'https://A.test/d/#top'),
      'https://a.test/d/',
      'all at once',
    );
  });

  it('a canonical on another host or path is ignored', () => {
    assert.equal(leads('https://a.test/x', 'https://b.test/x'), null);
    assert.equal(leads('https://a.test/x?sid=1', 'https://a.test/'), null);
    assert.equal(leads('https://a.test/x', 'https://www.a.test/x'), null);
    assert.equal(leads('https://a.test/d', 'https://a.test/d/'), null);
  });

  it('a canonical that adds something is ignored', () => {
    assert.equal(leads('https://a.test/x', 'https://a.test/x?p=2'), null);
    assert.equal(leads('https://a.test/d/', 'https://a.test/d/index.html'), null);
    assert.equal(leads('https://a.test/x', 'http://a.test/x'), null);
    assert.equal(leads('https://a.test/x?sid=1', 'https://www.a.test/x'), null, 'also beside what is believed');
  });

  it('a missing, identical or malformed canonical is ignored', () => {
    for (const canonical of ['', 'https://a.test/x', 'https://a.test/x#top', 'mailto:a@a.test', 'x y'])
      assert.equal(leads('https://a.test/x', canonical), null, canonical);
  });
});
