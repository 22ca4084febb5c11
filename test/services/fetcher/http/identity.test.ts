/** Who we say we are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agreedIdentities } from '../../../../services/fetcher/http/agreed-identity.ts';
import { namesOf, productTokensOf, requestHeaders, userAgentOf } from '../../../../services/fetcher/http/identity.ts';

const own = { version: '1.2', contact: 'https://a.test/bot' };

describe('a User-Agent', () => {
  it('a User-Agent names the product, its release and a contact', () => {
    assert.equal(userAgentOf(own), 'crawlstream/1.2 (+https://a.test/bot)');
    assert.equal(userAgentOf({ ...own, contact: '' }), 'crawlstream/1.2');
  });

  it('a custom User-Agent has the contact where it says, or at its end', () => {
    assert.equal(userAgentOf({ ...own, userAgent: 'My/2' }), 'My/2 (+https://a.test/bot)');
    assert.equal(
      userAgentOf({ ...own, userAgent: 'My/{version} ({contact}; {version})' }),
      'My/1.2 (https://a.test/bot; 1.2)',
    );
  });

  it('a User-Agent begins with the name that robots.txt is read for, unless another is given', () => {
    assert.equal(productTokensOf({}), 'crawlstream');
    assert.equal(productTokensOf({ userAgent: 'My Bot/2' }), 'My');
    assert.equal(productTokensOf({ userAgent: 'MyBot/2' }), 'MyBot');
    assert.deepEqual(namesOf({ ...own, userAgent: 'My/2', robotsTokens: ['a', 'b'] }), {
      userAgent: 'My/2 (+https://a.test/bot)',
      robotsTokens: 'a b',
    });
    assert.equal(namesOf(own).robotsTokens, 'crawlstream');
  });
});

it('requests carry the headers that an operator configures, and no more', () => {
  const plain = ['user-agent', userAgentOf(own), 'accept', 'text/html', 'accept-encoding', 'gzip'];
  assert.deepEqual(requestHeaders(own, 'text/html', 'gzip'), plain);
  assert.deepEqual(requestHeaders({ ...own, from: 'a@a.test', acceptLanguage: 'de' }, 'text/html', 'gzip'), [
    ...plain,
    ...['from', 'a@a.test', 'accept-language', 'de'],
  ]);
});

describe('an agreed identity', () => {
  const agreed = agreedIdentities({ ...own, robotsTokens: ['mine'] }, [
    { hosts: ['*.b.test'], identity: { userAgent: 'First/1 Second', robotsTokens: ['Second', 'first'] } },
    { hosts: ['c.test'] },
    { hosts: ['x.b.test'], identity: { userAgent: 'Last/1' } },
  ] as never);

  it('an agreed identity applies at its hosts, the last match wins, and other hosts see the crawl’s own', () => {
    assert.equal(agreed.userAgentOf('y.b.test'), 'First/1 Second (+https://a.test/bot)');
    assert.equal(agreed.userAgentOf('x.b.test:8080'), 'Last/1 (+https://a.test/bot)');
    assert.equal(agreed.userAgentOf('c.test'), 'crawlstream/1.2 (+https://a.test/bot)');
    assert.equal(agreed.of('c.test'), null);
    assert.equal(agreedIdentities(own).of('y.b.test'), null);
  });

  it('an agreed identity has its own names for robots.txt, never those of the crawl', () => {
    assert.deepEqual(agreed.tokensOf('https://y.b.test/x'), ['Second', 'first']);
    assert.equal(agreed.tokensOf('https://x.b.test'), 'Last');
    assert.deepEqual(agreed.tokensOf('https://c.test'), ['mine']);
    assert.equal(agreed.namesOf('y.b.test').robotsTokens, 'Second first');
    assert.equal(agreed.namesOf('c.test').robotsTokens, 'mine');
  });

  it('an agreed identity is refused if a webmaster could not find its operator', () => {
    const of = (identity: object) => () =>
      agreedIdentities(own, [{ hosts: ['b.test'] }, { hosts: ['b.test'], identity }] as never);
    assert.throws(
      of({ userAgent: 'Bot/1', robotsTokens: ['Bot', 'other'] }),
      /requests\[1\].identity.robotsTokens: other is not part of Bot/,
    );
    assert.throws(of({ userAgent: 'Mozilla/5.0 (X)' }), /starts like the name of a browser/);
    assert.doesNotThrow(of({ userAgent: 'Mozilla/5.0 (mybot)', robotsTokens: ['MyBot'] }));
    assert.doesNotThrow(of({ userAgent: 'Mozillabot/1' }));
  });
});
