import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileScope, scopeOf } from '../../../topology/url/scope.ts';

const seeds = ['https://www.a.co.uk/x', 'http://127.0.0.1:8080/', 'https://b.org/', 'https://www.b.org/'];

test('by domain, a crawl stays in the registrable domains of its seeds', () => {
  const scope = scopeOf('domain', seeds);
  assert.deepEqual(scope, { kind: 'domain', names: ['127.0.0.1', 'a.co.uk', 'b.org'] });
  const outOfScope = compileScope(scope);
  for (const url of ['http://a.co.uk/', 'http://x.y.a.co.uk:81/', 'http://127.0.0.1/', 'http://b.org/']) {
    assert.equal(outOfScope(url), null, url);
  }
  assert.deepEqual(outOfScope('http://b.co.uk/'), { rule: 'scope', detail: 'b.co.uk' });
  assert.deepEqual(outOfScope('http://ab.org/'), { rule: 'scope', detail: 'ab.org' });
});

test('by host, a crawl stays on the exact hosts and ports, whatever the scheme', () => {
  const outOfScope = compileScope(scopeOf('host', seeds));
  assert.equal(outOfScope('http://www.a.co.uk/'), null);
  assert.equal(outOfScope('http://127.0.0.1:8080/y'), null);
  assert.deepEqual(outOfScope('http://127.0.0.1/'), { rule: 'scope', detail: '127.0.0.1' });
  assert.deepEqual(outOfScope('http://a.co.uk/'), { rule: 'scope', detail: 'a.co.uk' });
});

test('with all, nothing is out of scope', () => {
  assert.equal(compileScope(scopeOf('all', seeds))('http://c.org/'), null);
});
